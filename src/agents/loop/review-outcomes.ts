import type { ChatMessage } from '../../core/ports/chat-model.ts';
import { noPendingCalls, type PendingCalls } from './answer-pending-calls.ts';
import type { CallInReview, ToolReview, ToolReviewEvent } from './tool-review.ts';

const held = (index: number): CallInReview => ({
  status: 'held',
  tool: 'calculator',
  args: {},
  signature: '',
  reasons: ['untrusted'],
  key: `call_${index}`,
  notice: null,
});

/**
 * Outcomes of a node that runs `answerPendingCalls`, for `explore`: a call without an answer and without a decision may have to wait. If
 * none waits, all calls are answered.
 *
 * @param patch Added to the patch of the last case.
 */
export function pendingCallsOutcomes<TPatch extends object = object>(
  { pendingCalls, answers, decisions }: PendingCalls,
  patch?: TPatch,
): readonly { readonly name: string; readonly patch: Partial<PendingCalls> | (PendingCalls & TPatch) }[] {
  const isSettled = (index: number): boolean => Boolean(answers[index]) || decisions.some((one) => one.held.key === `call_${index}`);
  const open = pendingCalls.flatMap((_, index) => (isSettled(index) ? [] : [index]));
  const answer = (callId: string): ChatMessage => ({ role: 'tool', callId, content: '' });
  const waits = open.map((_, count) => {
    const waiting = open.slice(0, count + 1);
    const results = pendingCalls.map(({ id }, index) => (waiting.includes(index) ? null : answer(id)));
    return { name: `${waiting.length} held`, patch: { answers: results, heldCalls: waiting.map(held), decisions: [] } };
  });
  return [{ name: 'all are answered', patch: { ...noPendingCalls, ...patch } }, ...waits];
}

/** A human's answers in the state `tool_review`, for `explore`. */
export const toolReviewOutcomes: readonly { readonly event: ToolReviewEvent }[] = [
  { event: { type: 'APPROVE' } },
  { event: { type: 'EDIT', arguments: { expression: '1 + 1' } } },
  { event: { type: 'REJECT', reason: 'no' } },
];

/** A human's answers in a state `tool_review` with `batch`, for `explore`: those of `toolReviewOutcomes`, all calls at once, and half of that. */
export function batchReviewOutcomes({ heldCalls }: ToolReview): readonly { readonly event: ToolReviewEvent }[] {
  const decided = (calls: readonly CallInReview[]): ToolReviewEvent => ({
    type: 'DECIDE',
    decisions: Object.fromEntries(calls.map(({ key }, index) => [key, index === 0 ? 'approve' : { reject: 'no' }])),
  });
  const half = heldCalls.length > 1 ? [{ event: decided(heldCalls.slice(1)) }] : [];
  return [...toolReviewOutcomes, { event: decided(heldCalls) }, ...half];
}
