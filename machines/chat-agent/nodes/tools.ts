import type { NodeHandler } from 'agent-machines';
import { executeCalls, type PastCall, toolMessage } from 'agent-machines/executor';
import { checkToolCall } from 'agent-machines/tools';
import { type ChatAgentServices, grantedTools } from '../services.ts';
import type { ChatAgentState } from '../state.ts';
import { toWindow } from './agent.ts';

/** Executes what the model asked for. Every call gets its answer, in order, an error too. No model call. */
export const tools =
  ({ tools, allowEgress }: ChatAgentServices): NodeHandler<ChatAgentState> =>
  async (state, io) => {
    const { pendingCalls, availableTools, tainted, egressGranted } = state;
    const granted = grantedTools(tools, availableTools);
    const checked = pendingCalls.map((call) => checkToolCall(call, { tools: granted }));
    const calls = checked.flatMap((one) => ('call' in one ? [one.call] : []));
    const { results, ...after } = await executeCalls(calls, {
      tools: granted,
      io,
      signal: io.signal,
      tainted,
      allowEgress: allowEgress || egressGranted,
    });
    const made = results.values();
    const answers = checked.map((one, index) => {
      const result = 'error' in one ? one.error : (made.next().value as PastCall);
      return toWindow(state, toolMessage(pendingCalls[index]?.id ?? '', result), index);
    });
    return { turnMessages: answers, pendingCalls: [], tainted: after.tainted };
  };
