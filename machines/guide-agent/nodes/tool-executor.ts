import { type NodeHandler, WorkflowError } from 'agent-machines';
import { executeCalls, type PastCall, toolMessage } from 'agent-machines/executor';
import { checkToolCall } from 'agent-machines/tools';
import { type GuideAgentServices, offered } from '../services.ts';
import type { GuideAgentState } from '../state.ts';
import { asksFallback, docsOf } from './docs-of.ts';

/** Executes what the model asked for. Every call gets its answer, in order, wrong ones and those past the budget too. No model call. */
export const toolExecutor =
  ({ toolsFor, allowEgress }: GuideAgentServices): NodeHandler<GuideAgentState> =>
  async (
    { userId, pendingCalls, taskMessages, taskDocs, taskFallback, toolCallsUsed, maxToolCallsPerTask, tainted, egressGranted },
    io,
  ) => {
    const tools = offered(toolsFor(userId));
    const budget = maxToolCallsPerTask - toolCallsUsed;
    const checked = pendingCalls.map((call, index) =>
      index < budget ? checkToolCall(call, { tools }) : { error: overBudget(maxToolCallsPerTask) },
    );
    const calls = checked.flatMap((one) => ('call' in one ? [one.call] : []));
    const { results, ...after } = await executeCalls(calls, {
      tools,
      io,
      signal: io.signal,
      tainted,
      allowEgress: allowEgress || egressGranted,
    });
    const made = results.values();
    const docs = results.flatMap(docsOf);
    const answers = checked.map((one, index) =>
      toolMessage(pendingCalls[index]?.id ?? '', 'error' in one ? one.error : (made.next().value as PastCall)),
    );
    return {
      taskMessages: [...taskMessages, ...answers],
      pendingCalls: [],
      toolCallsUsed: toolCallsUsed + pendingCalls.length,
      taskDocs: [...taskDocs, ...docs.map(({ id }) => id)],
      taskFallback: results.map(asksFallback).findLast((asks) => asks !== undefined) ?? taskFallback,
      retrievedDocs: docs,
      tainted: after.tainted,
    };
  };

const overBudget = (max: number): WorkflowError =>
  new WorkflowError({
    code: 'LIMIT_EXCEEDED',
    message: `A sub-task has ${max} tool calls, and they are spent.`,
    hint: 'Decide with what is known.',
  });
