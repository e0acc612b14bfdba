import type { WorkflowError } from '../errors.ts';
import type { ChatMessage, ModelToolCall } from '../ports/chat-model.ts';
import type { ValidatedCall } from '../ports/tool-call.ts';
import { threadTaint } from './approval.ts';
import { callRejected } from './approval-needed.ts';
import { type CallsResult, type ExecuteCallsOptions, executeCalls } from './execute-calls.ts';
import type { ApprovedCall } from './execute-plan.types.ts';
import { toolMessage } from './tool-message.ts';
import { approvedCall, type CallDecision, type CallInReview, refusedEdits, type ToolReview } from './tool-review.ts';
import { toolSignature } from './tool-signature.ts';

export interface AnswerCallsOptions extends Omit<ExecuteCallsOptions, 'approved'> {
  /** Turns what the model wrote into a call that may be executed, or says why not: `checkToolCall`. */
  readonly check: (call: ModelToolCall, index: number) => { readonly call: ValidatedCall } | { readonly error: WorkflowError };
  /** The answers so far, by the places of the calls; `null` = none yet. @default none */
  readonly answers?: readonly (ChatMessage | null)[];
  /** What a human has decided since. @default nothing */
  readonly decisions?: readonly CallDecision[];
}

export interface AnsweredCalls extends ToolReview, Pick<CallsResult, 'results' | 'taint'> {
  /** One for each call, in their order; `null` for those that wait for a human. */
  readonly answers: readonly (ChatMessage | null)[];
}

/**
 * Executes what a model asked for, as far as nobody has to be asked, and answers every call: a wrong and a rejected one, too. When calls
 * wait (`heldCalls`), ask about them, and call it again with `answers` and `decisions`; what was made is not made again.
 *
 * @throws {WorkflowError} What `executeCalls` throws.
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

  // nothing is carried out before all of it is decided
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
    // what was shown is what an approval stands for
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
  return { answers: answered, heldCalls: held, decisions: decisions.filter((one) => left.has(one.held.key)), results, taint };
}

/** An equal call without a decision of its own shares that of the one that was asked about. */
const signatureOf = (checked: ReturnType<AnswerCallsOptions['check']>): string | undefined =>
  'call' in checked ? toolSignature(checked.call) : undefined;

const keyOf = (index: number): string => `call_${index}`;
const indexOf = ({ key }: CallInReview): number => Number(key.slice('call_'.length));
