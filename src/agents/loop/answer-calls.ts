import type { WorkflowError } from '../../core/errors/errors.ts';
import type { ChatMessage, ModelToolCall } from '../../core/ports/chat-model.ts';
import type { ValidatedCall } from '../../core/ports/tool-call.ts';
import { withToolFilesWithin } from '../../models/message-files.ts';
import { threadTaint } from '../../plan/executor/approval.ts';
import { callRejected } from '../../plan/executor/approval-needed.ts';
import { type CallsResult, type ExecuteCallsOptions, executeCalls } from '../../plan/executor/execute-calls.ts';
import type { ApprovedCall } from '../../plan/executor/execute-plan.types.ts';
import { toolSignature } from '../../plan/executor/tool-signature.ts';
import { toolMessage } from './tool-message.ts';
import { approvedCall, type CallDecision, type CallInReview, refusedEdits, type ToolReview } from './tool-review.ts';

export interface AnswerCallsOptions extends Omit<ExecuteCallsOptions, 'approved'> {
  /** Converts the model's text to an executable call or returns the error: `checkToolCall`. */
  readonly check: (call: ModelToolCall, index: number) => { readonly call: ValidatedCall } | { readonly error: WorkflowError };
  /** Earlier answers, in the order of the calls; `null` for an open one. @default none */
  readonly answers?: readonly (ChatMessage | null)[];
  /** Later decisions of a human. @default none */
  readonly decisions?: readonly CallDecision[];
}

export interface AnsweredCalls extends ToolReview, Pick<CallsResult, 'results' | 'taint'> {
  /** One per call, in their order; `null` for a call that needs approval. */
  readonly answers: readonly (ChatMessage | null)[];
}

/**
 * Executes a model's calls as far as no approval is needed, and answers every call, invalid and rejected ones included. When calls wait
 * (`heldCalls`), ask about them and call it again with `answers` and `decisions`. Finished calls are not repeated. The answers have the
 * newest 4 MB of files; the older ones become a line of text each.
 *
 * @throws {WorkflowError} Errors of `executeCalls`.
 */
export async function answerCalls(
  asked: readonly ModelToolCall[],
  { check, answers = [], decisions = [], ...options }: AnswerCallsOptions,
): Promise<AnsweredCalls> {
  const answered: (ChatMessage | null)[] = asked.map((_, index) => answers[index] ?? null);
  const held: CallInReview[] = [];
  const approved: ApprovedCall[] = [];
  const calls = new Map<ValidatedCall, number>();
  const answer = (index: number, result: Parameters<typeof toolMessage>[1]): void => {
    answered[index] = toolMessage(asked[index]?.id ?? '', result);
  };

  // nothing runs before every decision is valid
  const { askAgain, kept } = refusedEdits(decisions, ({ held, args }) => {
    const index = indexOf(held);
    const call = asked[index];
    const checked = call && check({ ...call, arguments: JSON.stringify(args) }, index);
    return checked && 'error' in checked ? checked.error.message : undefined;
  });
  if (askAgain.length > 0) return { answers: answered, heldCalls: askAgain, decisions: kept, results: [], taint: threadTaint(options) };

  for (const [index, call] of asked.entries()) {
    if (answered[index]) continue;
    const own = decisions.find(({ held: { key } }) => key === keyOf(index));
    const asWritten = check(call, index);
    const signature = signatureOf(asWritten);
    const decision = own ?? decisions.find(({ held }) => held.signature === signature);
    if (decision?.as === 'rejected') {
      answer(index, callRejected(call.name, decision.reason));
      continue;
    }
    // an approval is valid for the arguments that were shown
    const args = decision?.as === 'edited' ? decision.args : decision?.held.args;
    const checked = args ? check({ ...call, arguments: JSON.stringify(args) }, index) : asWritten;
    if ('call' in checked) {
      calls.set(checked.call, index);
      const call = approvedCall(own, options.io?.runId, checked.call.args);
      if (call) approved.push(call);
    } else answer(index, checked.error);
  }

  const { results, held: waiting, remaining, taint } = await executeCalls([...calls.keys()], { ...options, approved });
  const placeOf = (call: ValidatedCall): number => calls.get(call) ?? -1;
  for (const result of results) answer(placeOf(result.call), result);
  for (const { call, ...one } of waiting) held.push({ ...one, key: keyOf(placeOf(call)), notice: null });
  held.sort((a, b) => indexOf(a) - indexOf(b));
  const left = new Set(remaining.map((call) => keyOf(placeOf(call))));
  return {
    answers: withToolFilesWithin(answered),
    heldCalls: held,
    decisions: decisions.filter((one) => left.has(one.held.key)),
    results,
    taint,
  };
}

/** Equal calls share one decision. */
const signatureOf = (checked: ReturnType<AnswerCallsOptions['check']>): string | undefined =>
  'call' in checked ? toolSignature(checked.call) : undefined;

const keyOf = (index: number): string => `call_${index}`;
const indexOf = ({ key }: CallInReview): number => Number(key.slice('call_'.length));
