import type { ChatMessage, NodeHandler } from 'agent-machines';
import { answerCalls } from 'agent-machines/executor';
import { checkToolCall } from 'agent-machines/tools';
import { type ChatAgentServices, grantedTools } from '../services.ts';
import type { ChatAgentState } from '../state.ts';
import { toWindow } from './agent.ts';

/**
 * Executes what the model asked for, as far as no human has to be asked. Every call gets its answer, in order, an error too. No model
 * call.
 */
export const tools =
  ({ tools, allowEgress }: ChatAgentServices): NodeHandler<ChatAgentState> =>
  async (state, io) => {
    const { pendingCalls, availableTools, egressGranted } = state;
    const granted = grantedTools(tools, availableTools);
    const { answers, heldCalls, decisions, taint } = await answerCalls(pendingCalls, {
      check: (call) => checkToolCall(call, { tools: granted }),
      answers: state.answers,
      decisions: state.decisions,
      tools: granted,
      io,
      signal: io.signal,
      taint: state.taint,
      allowEgress: allowEgress || egressGranted,
    });
    if (heldCalls.length > 0) return { answers, heldCalls, decisions, taint };
    const messages = answers.filter((answer): answer is ChatMessage => answer !== null);
    return {
      turnMessages: messages.map((message, index) => toWindow(state, message, index)),
      pendingCalls: [],
      answers: [],
      heldCalls,
      decisions,
      taint,
    };
  };
