import type { NodeHandler } from 'agent-machines';
import { answerPendingCalls, checkToolCall, usableTools } from 'agent-machines/tools';
import type { ToolAgentServices } from '../services.ts';
import type { ToolAgentState } from '../state.ts';

/** Executes the model's calls that need no approval. Every call gets an answer, in order, failed ones too. No model call. */
export const tools =
  ({ tools, allowEgress, allowTargets }: ToolAgentServices): NodeHandler<ToolAgentState> =>
  async (state, io) => {
    const granted = usableTools(tools, state.availableTools);
    const { patch, messages } = await answerPendingCalls(state, {
      check: (call) => checkToolCall(call, { tools: granted }),
      tools: granted,
      io,
      allowEgress,
      allowTargets,
    });
    return { ...patch, messages };
  };
