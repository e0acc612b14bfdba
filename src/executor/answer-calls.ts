import type { WorkflowError } from '../errors.ts';
import type { ChatMessage, ModelToolCall } from '../ports/chat-model.ts';
import type { ValidatedCall } from '../ports/tool-call.ts';
import { callRejected } from './approval-needed.ts';
import { type CallsResult, type ExecuteCallsOptions, executeCalls } from './execute-calls.ts';
import { toolMessage } from './tool-message.ts';
import type { CallDecision, CallInReview, ToolReview } from './tool-review.ts';
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
  const approved: string[] = [];
  const calls = new Map<ValidatedCall, number>();
  const answer = (index: number, result: Parameters<typeof toolMessage>[1]): void => {
    answered[index] = toolMessage(asked[index]?.id ?? '', result);
  };

  for (const [index, call] of asked.entries()) {
    if (answered[index]) continue;
    const decision = decisions.find(({ held: { key } }) => key === keyOf(index));
    if (decision?.as === 'rejected') {
      answer(index, callRejected(call.name, decision.reason));
      continue;
    }
    const wanted = decision?.as === 'edited' ? { ...call, arguments: JSON.stringify(decision.args) } : call;
    const checked = check(wanted, index);
    if ('call' in checked) {
      calls.set(checked.call, index);
      if (decision?.as === 'approved') approved.push(decision.held.signature);
      if (decision?.as === 'edited') approved.push(toolSignature(checked.call));
    } else if (decision?.as === 'edited') held.push({ ...decision.held, notice: checked.error.message });
    else answer(index, checked.error);
  }

  const { results, held: waiting, taint } = await executeCalls([...calls.keys()], { ...options, approved });
  const placeOf = (call: ValidatedCall): number => calls.get(call) ?? -1;
  for (const result of results) answer(placeOf(result.call), result);
  for (const { call, ...one } of waiting) held.push({ ...one, key: keyOf(placeOf(call)), notice: null });
  held.sort((a, b) => indexOf(a) - indexOf(b));
  return { answers: answered, heldCalls: held, decisions: [], results, taint };
}

const keyOf = (index: number): string => `call_${index}`;
const indexOf = ({ key }: CallInReview): number => Number(key.slice('call_'.length));
