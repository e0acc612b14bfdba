import type { ChatMessage, ModelToolCall } from '../ports/chat-model.ts';
import type { NodeIo } from '../ports/node-io.ts';
import type { Taint } from '../ports/taint.ts';
import type { Tool } from '../ports/tool.ts';
import { type AnswerCallsOptions, answerCalls } from './answer-calls.ts';
import type { PastCall } from './execute-calls.ts';
import { noToolReview, type ToolReview } from './tool-review.ts';

/** The part of a workflow's state in which a model's calls wait for their answers. */
export interface PendingCalls extends ToolReview {
  /** What the model asked for last, until it is answered. */
  readonly pendingCalls: readonly ModelToolCall[];
  /** The answers to them so far, in their order; `null` for a call that waits for a human. */
  readonly answers: readonly (ChatMessage | null)[];
}

export const noPendingCalls: PendingCalls = Object.freeze({ pendingCalls: [], answers: [], ...noToolReview });

/** What else of the state decides whether a call is made. */
export interface CallingState extends PendingCalls {
  readonly taint: Taint;
  /** The user has allowed tools to send something out in this thread. */
  readonly egressGranted: boolean;
}

export interface AnswerPendingCallsOptions {
  /** Turns what the model wrote into a call that may be executed, or says why not: `checkToolCall`. */
  readonly check: AnswerCallsOptions['check'];
  readonly tools: readonly Tool[];
  readonly io: NodeIo;
  /** Allow tools to send something out although private data is in the thread, whoever's it is. @default false */
  readonly allowEgress?: boolean;
  /** Hosts and recipients that external calls may reach without approval. @default [] */
  readonly allowTargets?: readonly string[];
}

export interface AnsweredPendingCalls {
  /** For the state. While calls wait for a human (`heldCalls`), they stay pending. */
  readonly patch: Partial<CallingState>;
  /** The answers, in the order of the calls; none before every call has its own. */
  readonly messages: readonly ChatMessage[];
  /** What was executed now. */
  readonly results: readonly PastCall[];
}

/**
 * The work of a node that executes what a model asked for, as far as no human has to be asked. Every call gets its answer, a wrong and a
 * rejected one, too. Come back to it after the review.
 *
 * @throws {WorkflowError} What `executeCalls` throws.
 * @example
 * const { patch, messages } = await answerPendingCalls(state, { check: (call) => checkToolCall(call, { tools }), tools, io });
 * return { ...patch, messages };
 */
export async function answerPendingCalls(
  { pendingCalls, answers: before, decisions: decided, taint: held, egressGranted }: CallingState,
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
  });
  if (heldCalls.length > 0) return { patch: { answers, heldCalls, decisions, taint }, messages: [], results };
  const messages = answers.filter((answer): answer is ChatMessage => answer !== null);
  return { patch: { pendingCalls: [], answers: [], heldCalls, decisions, taint }, messages, results };
}
