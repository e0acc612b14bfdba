import type { NodeHandler } from 'agent-machines';
import { answerPendingCalls } from 'agent-machines/executor';
import { checkToolCall } from 'agent-machines/tools';
import { toolsOfTurn } from '../search-conversation.ts';
import type { ChatAgentServices } from '../services.ts';
import type { ChatAgentState } from '../state.ts';
import { toWindow } from './agent.ts';

/**
 * Executes what the model asked for, as far as no human has to be asked. Every call gets its answer, in order, an error too. No model
 * call.
 */
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
