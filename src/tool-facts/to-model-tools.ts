import type { ModelTool } from '../ports/chat-model.ts';
import type { ToolSpec } from '../ports/tool.ts';

/** Tools as a model is offered them: for `tools` of a request. */
export const toModelTools = (tools: readonly ToolSpec[]): readonly ModelTool[] =>
  tools.map(({ name, description = '', inputSchema }) => ({ name, description, inputSchema }));
