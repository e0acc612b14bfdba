import type { Tool } from 'agent-machines';
import { usableTools } from 'agent-machines/tools';
import type { ToolAgentState } from './state.ts';

/** The available tools that a step may call. */
export const activeToolsOf = (
  tools: readonly Tool[],
  { availableTools, activeTools }: Pick<ToolAgentState, 'availableTools' | 'activeTools'>,
): readonly Tool[] => usableTools(tools, availableTools).filter(({ name }) => activeTools?.includes(name) ?? true);
