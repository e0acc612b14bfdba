import type { ChatMessage, ModelToolCall } from '../../core/ports/chat-model.ts';
import type { Json } from '../../core/ports/json.ts';
import type { NodeIo } from '../../core/ports/node-io.ts';
import type { Tool } from '../../core/ports/tool.ts';
import type { PastCall } from '../../plan/executor/execute-calls.ts';
import type { AgentThread } from './agent-thread.ts';
import { type AnswerCallsOptions, answerCalls } from './answer-calls.ts';
import { noToolReview, type ToolReview } from './tool-review.ts';

/** Part of a workflow's state with the model's open calls. */
export interface PendingCalls extends ToolReview {
  /** The model's last calls, until all are answered. */
  readonly pendingCalls: readonly ModelToolCall[];
  /** Their answers so far, in order; `null` for a call that needs approval. */
  readonly answers: readonly (ChatMessage | null)[];
}

export const noPendingCalls: PendingCalls = Object.freeze({ pendingCalls: [], answers: [], ...noToolReview });

/** Parts of the state that decide whether a call is made. */
export interface CallingState extends PendingCalls, AgentThread {
  /** Time zone of the run, for its tools. */
  readonly timeZone?: string;
  /** Data of the run from its caller, for its tools. Absent: none. */
  readonly runContext?: Json;
}

export interface AnswerPendingCallsOptions {
  /** Converts the model's text to an executable call or returns the error: `checkToolCall`. */
  readonly check: AnswerCallsOptions['check'];
  readonly tools: readonly Tool[];
  readonly io: NodeIo;
  /** Allows tools to send data out although the thread holds private data, in every thread. @default false */
  readonly allowEgress?: boolean;
  /** Hosts and recipients that external calls may reach without approval. @default [] */
  readonly allowTargets?: readonly string[];
}

export interface AnsweredPendingCalls {
  /** Patch for the state. Calls that need approval (`heldCalls`) stay pending. */
  readonly patch: Partial<CallingState>;
  /** The answers, in the order of the calls; empty until every call has one. */
  readonly messages: readonly ChatMessage[];
  /** Calls executed in this visit. */
  readonly results: readonly PastCall[];
}

/**
 * Executes a model's calls within a node, as far as no approval is needed. Every call gets an answer, invalid and rejected ones included.
 * Visit the node again after the review.
 *
 * @throws {WorkflowError} Errors of `executeCalls`.
 * @example
 * const { patch, messages } = await answerPendingCalls(state, { check: (call) => checkToolCall(call, { tools }), tools, io });
 * return { ...patch, messages };
 */
export async function answerPendingCalls(
  { pendingCalls, answers: before, decisions: decided, taint: held, egressGranted, timeZone, runContext }: CallingState,
  { check, tools, io, allowEgress = false, allowTargets = [] }: AnswerPendingCallsOptions,
): Promise<AnsweredPendingCalls> {
  const { answers, heldCalls, decisions, results, taint } = await answerCalls(pendingCalls, {
    check,
    answers: before,
    decisions: decided,
    tools,
    io,
    signal: io.signal,
    taint: held,
    allowEgress: allowEgress || egressGranted,
    allowTargets,
    ...(timeZone === undefined ? {} : { timeZone }),
    ...(runContext === undefined ? {} : { context: runContext }),
  });
  if (heldCalls.length > 0) return { patch: { answers, heldCalls, decisions, taint }, messages: [], results };
  const messages = answers.filter((answer): answer is ChatMessage => answer !== null);
  return { patch: { pendingCalls: [], answers: [], heldCalls, decisions, taint }, messages, results };
}
