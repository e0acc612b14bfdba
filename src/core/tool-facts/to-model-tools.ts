import type { ModelTool } from '../ports/chat-model.ts';
import type { ToolSpec } from '../ports/tool.ts';

/** Tools in the form of a model request. */
export const toModelTools = (tools: readonly ToolSpec[]): readonly ModelTool[] =>
  tools.map(({ name, description = '', inputSchema }) => ({ name, description, inputSchema }));
