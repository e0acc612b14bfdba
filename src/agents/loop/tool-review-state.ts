import type { Guard } from '../../engine/define/guard.ts';
import type { GuardOf, StateConfig, TargetOf } from '../../engine/define/state-config.ts';
import type { ToolReview } from './tool-review.ts';

/** True while a call waits for a human. Guard of `toolReviewState`, and of the edge that leads to it. */
export const awaitsApproval: Guard<ToolReview> = ({ heldCalls }) => heldCalls.length > 0;

/**
 * True once no call waits. Guard of `DECIDE`, so that half a decision is rejected: its patch changes nothing.
 */
export const decidesAll: Guard<ToolReview> = ({ heldCalls }) => heldCalls.length === 0;

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
type ToolReviewState<TNext extends string, TEdit extends readonly ReviewEdge[], TBatch extends boolean> = StateConfig<{
  readonly node: never;
  readonly target: 'tool_review' | TNext | TargetOf<TEdit>;
  readonly guard: 'awaitsApproval' | GuardOf<TEdit> | (TBatch extends true ? 'decidesAll' : never);
  readonly event: 'APPROVE' | 'EDIT' | 'REJECT' | (TBatch extends true ? 'DECIDE' : never);
}> & {
  readonly description: string;
  readonly tags: 'waiting';
  readonly on: {
    readonly APPROVE: DecidedEdges<TNext>;
    readonly EDIT: DecidedEdges<TNext> | TEdit;
    readonly REJECT: DecidedEdges<TNext>;
  } & (TBatch extends true
    ? { readonly DECIDE: { readonly guard: 'decidesAll'; readonly target: TNext; readonly actions: 'merge' } }
    : object);
};

/**
 * The state `tool_review`, for `createMachine` and for `defineMachine`: a human decides each held call, and the node `next` executes the
 * calls again. The machine has the guard `awaitsApproval`, and its state the events `toolReviewEvents`.
 *
 * @param options.edit Edges of EDIT. Default: those of APPROVE.
 * @param options.batch Accepts DECIDE, which decides all calls at once; the machine has the guard `decidesAll`, too. @default false
 * @example states: { tool_review: toolReviewState('tools', { batch: true }), … }
 */
export function toolReviewState<
  const TNext extends string,
  const TEdit extends readonly ReviewEdge[] = never,
  const TBatch extends boolean = false,
>(
  next: TNext,
  options: { readonly edit?: TEdit; readonly description?: string; readonly batch?: TBatch } = {},
): ToolReviewState<TNext, NoInfer<TEdit>, NoInfer<TBatch>> {
  const { description = 'Waits for a human. An approval covers exactly the calls that were shown.' } = options;
  const decided: DecidedEdges<TNext> = [
    { guard: 'awaitsApproval', target: 'tool_review', reenter: true, actions: 'merge' },
    { target: next, actions: 'merge' },
  ];
  const together = options.batch ? { DECIDE: { guard: 'decidesAll', target: next, actions: 'merge' } } : {};
  const on = { APPROVE: decided, EDIT: options.edit ?? decided, REJECT: decided, ...together };
  // the compiler cannot follow the condition of `batch`
  return { description, tags: 'waiting', on } as ToolReviewState<TNext, NoInfer<TEdit>, NoInfer<TBatch>>;
}
