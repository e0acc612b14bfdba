import type { Guard } from '../../engine/define/guard.ts';
import type { GuardOf, StateConfig, TargetOf } from '../../engine/define/state-config.ts';
import type { ToolReview } from './tool-review.ts';

/** True while a call waits for a human. Guard of `toolReviewState`, and of the edge that leads to it. */
export const awaitsApproval: Guard<ToolReview> = ({ heldCalls }) => heldCalls.length > 0;

/** An edge as XState's config has it. */
interface ReviewEdge {
  readonly guard?: string;
  readonly target: string;
  readonly reenter?: boolean;
  readonly actions: 'merge';
}

/** Edges after a decision: to the next call that waits, or to the node that executes the calls. */
type DecidedEdges<TNext extends string> = readonly [
  { readonly guard: 'awaitsApproval'; readonly target: 'tool_review'; readonly reenter: true; readonly actions: 'merge' },
  { readonly target: TNext; readonly actions: 'merge' },
];

/** XState config of the state `tool_review`, with its names for `defineMachine`. */
type ToolReviewState<TNext extends string, TEdit extends readonly ReviewEdge[]> = StateConfig<{
  readonly node: never;
  readonly target: 'tool_review' | TNext | TargetOf<TEdit>;
  readonly guard: 'awaitsApproval' | GuardOf<TEdit>;
  readonly event: 'APPROVE' | 'EDIT' | 'REJECT';
}> & {
  readonly description: string;
  readonly tags: 'waiting';
  readonly on: {
    readonly APPROVE: DecidedEdges<TNext>;
    readonly EDIT: DecidedEdges<TNext> | TEdit;
    readonly REJECT: DecidedEdges<TNext>;
  };
};

/**
 * The state `tool_review`, for `createMachine` and for `defineMachine`: a human decides each held call, and the node `next` executes the
 * calls again. The machine has the guard `awaitsApproval`, and its state the events `toolReviewEvents`.
 *
 * @param options.edit Edges of EDIT. Default: those of APPROVE.
 * @example states: { tool_review: toolReviewState('tools'), … }
 */
export function toolReviewState<const TNext extends string, const TEdit extends readonly ReviewEdge[] = never>(
  next: TNext,
  options: { readonly edit?: TEdit; readonly description?: string } = {},
): ToolReviewState<TNext, NoInfer<TEdit>> {
  const { description = 'Waits for a human, one call at a time. An approval covers exactly the call that was shown.' } = options;
  const decided: DecidedEdges<TNext> = [
    { guard: 'awaitsApproval', target: 'tool_review', reenter: true, actions: 'merge' },
    { target: next, actions: 'merge' },
  ];
  return { description, tags: 'waiting', on: { APPROVE: decided, EDIT: options.edit ?? decided, REJECT: decided } };
}
