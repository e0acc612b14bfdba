import { type NodeHandler, WorkflowError } from 'agent-machines';
import { withoutFiles } from 'agent-machines/models';
import { answerPendingCalls, checkToolCall, usableTools } from 'agent-machines/tools';
import type { GuideAgentServices } from '../services.ts';
import type { GuideAgentState } from '../state.ts';
import { asksFallback, docsOf } from './docs-of.ts';

/**
 * Executes the calls of the model that need no approval. Every call gets an answer, in order, including invalid calls and those beyond the
 * budget. No model call.
 */
export const toolExecutor =
  ({ toolsFor, allowEgress, allowTargets }: GuideAgentServices): NodeHandler<GuideAgentState> =>
  async (state, io) => {
    const { taskMessages, taskDocs, taskFallback, toolCallsUsed, maxToolCallsPerTask } = state;
    const tools = usableTools(toolsFor(state.userId));
    const budget = maxToolCallsPerTask - toolCallsUsed;
    const { patch, messages, results } = await answerPendingCalls(state, {
      check: (call, index) => (index < budget ? checkToolCall(call, { tools }) : { error: overBudget(maxToolCallsPerTask) }),
      tools,
      io,
      allowEgress,
      allowTargets,
    });
    const docs = results.flatMap(docsOf);
    return {
      ...patch,
      taskDocs: [...taskDocs, ...docs.map(({ id }) => id)],
      taskFallback: results.map(asksFallback).findLast((asks) => asks !== undefined) ?? taskFallback,
      retrievedDocs: docs,
      taskMessages: [...taskMessages.map(withoutFiles), ...messages], // the list is stored whole with each visit
      toolCallsUsed: toolCallsUsed + messages.length,
    };
  };

const overBudget = (max: number): WorkflowError =>
  new WorkflowError({
    code: 'LIMIT_EXCEEDED',
    message: `All ${max} tool calls of the sub-task are used.`,
    hint: 'Decide with the results so far.',
  });
