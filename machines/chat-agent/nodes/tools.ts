import type { NodeHandler } from 'agent-machines';
import { answerPendingCalls, checkToolCall } from 'agent-machines/tools';
import { toolsOfTurn } from '../search-conversation.ts';
import type { ChatAgentServices } from '../services.ts';
import type { ChatAgentState } from '../state.ts';
import { toWindow } from './agent.ts';

/** Executes the calls of the model that need no approval. Every call gets an answer, in order, failed ones too. No model call. */
export const tools =
  ({ tools, allowEgress, allowTargets }: ChatAgentServices): NodeHandler<ChatAgentState> =>
  async (state, io) => {
    const granted = toolsOfTurn(state, tools);
    const { patch, messages } = await answerPendingCalls(state, {
      check: (call) => checkToolCall(call, { tools: granted }),
      tools: granted,
      io,
      allowEgress,
      allowTargets,
    });
    return { ...patch, turnMessages: messages.map((message, index) => toWindow(state, message, index)) };
  };
