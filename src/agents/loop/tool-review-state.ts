import type { Guard } from '../../engine/define/guard.ts';
import { type Edges, type GuardOf, type StateConfig, type TargetOf, waiting } from '../../engine/define/state-config.ts';
import type { ToolReview } from './tool-review.ts';

/** True while a call waits for a human. Guard of `toolReviewState`, and of the edge that leads to it. */
export const awaitsApproval: Guard<ToolReview> = ({ heldCalls }) => heldCalls.length > 0;

const askAgain = { guard: 'awaitsApproval', target: 'tool_review', reenter: true } as const;

/**
 * The state `tool_review` of a machine: a human decides each held call, and the node `next` executes the calls again. The machine has the
 * guard `awaitsApproval`, and its state the events `toolReviewEvents`.
 *
 * @param options.edit Edges of EDIT. Default: those of APPROVE.
 * @example states: { tool_review: toolReviewState('tools'), … }
 */
export function toolReviewState<const TNext extends string, const TEdit extends Edges = never>(
  next: TNext,
  options: { readonly edit?: TEdit; readonly description?: string } = {},
): StateConfig<{
  readonly node: never;
  readonly target: 'tool_review' | TargetOf<TNext> | TargetOf<TEdit>;
  readonly guard: 'awaitsApproval' | GuardOf<TNext> | GuardOf<TEdit>;
  readonly event: 'APPROVE' | 'EDIT' | 'REJECT';
}> {
  const { description = 'Waits for a human, one call at a time. An approval covers exactly the call that was shown.' } = options;
  const decided = [askAgain, next] as const;
  return waiting({ APPROVE: decided, EDIT: options.edit ?? decided, REJECT: decided }, { description });
}
