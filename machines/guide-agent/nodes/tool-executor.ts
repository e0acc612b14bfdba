import { type ChatMessage, type NodeHandler, WorkflowError } from 'agent-machines';
import { answerCalls } from 'agent-machines/executor';
import { checkToolCall } from 'agent-machines/tools';
import { type GuideAgentServices, offered } from '../services.ts';
import type { GuideAgentState } from '../state.ts';
import { asksFallback, docsOf } from './docs-of.ts';

/**
 * Executes what the model asked for, as far as no human has to be asked. Every call gets its answer, in order, wrong ones and those past
 * the budget too. No model call.
 */
export const toolExecutor =
  ({ toolsFor, allowEgress }: GuideAgentServices): NodeHandler<GuideAgentState> =>
  async (state, io) => {
    const { userId, pendingCalls, taskMessages, taskDocs, taskFallback, toolCallsUsed, maxToolCallsPerTask, egressGranted } = state;
    const tools = offered(toolsFor(userId));
    const budget = maxToolCallsPerTask - toolCallsUsed;
    const { answers, heldCalls, decisions, results, taint } = await answerCalls(pendingCalls, {
      check: (call, index) => (index < budget ? checkToolCall(call, { tools }) : { error: overBudget(maxToolCallsPerTask) }),
      answers: state.answers,
      decisions: state.decisions,
      tools,
      io,
      signal: io.signal,
      taint: state.taint,
      allowEgress: allowEgress || egressGranted,
    });
    const docs = results.flatMap(docsOf);
    const found = {
      taskDocs: [...taskDocs, ...docs.map(({ id }) => id)],
      taskFallback: results.map(asksFallback).findLast((asks) => asks !== undefined) ?? taskFallback,
      retrievedDocs: docs,
    };
    if (heldCalls.length > 0) return { ...found, answers, heldCalls, decisions, taint };
    return {
      ...found,
      taskMessages: [...taskMessages, ...answers.filter((answer): answer is ChatMessage => answer !== null)],
      pendingCalls: [],
      answers: [],
      heldCalls,
      decisions,
      toolCallsUsed: toolCallsUsed + pendingCalls.length,
      taint,
    };
  };

const overBudget = (max: number): WorkflowError =>
  new WorkflowError({
    code: 'LIMIT_EXCEEDED',
    message: `A sub-task has ${max} tool calls, and they are spent.`,
    hint: 'Decide with what is known.',
  });
