import type { StateConfig } from './state-config.ts';

export type EdgeTo<TTarget extends string, TGuard extends string> =
  | TTarget
  | {
      /** A sibling state, or an absolute target: `#machine.state`. */
      readonly target: TTarget;
      /** Name of a guard. Absent: the edge is always taken. */
      readonly guard?: TGuard;
      /** Leaves and enters the state again if the edge leads to itself. @default false */
      readonly reenter?: boolean;
      readonly description?: string;
    };

/** Edges in evaluation order. */
export type EdgesTo<TTarget extends string, TGuard extends string> = EdgeTo<TTarget, TGuard> | readonly EdgeTo<TTarget, TGuard>[];

/** Keys of the other descriptions, so that TypeScript reports an error against the intended one. */
type Without<TKey extends string> = { readonly [K in TKey]?: never };

interface Ends<TTarget extends string, TGuard extends string> {
  /** Next state after the node's patch. */
  readonly done: EdgesTo<TTarget, TGuard>;
  /** Next state after the node has failed. */
  readonly error: EdgesTo<TTarget, TGuard>;
  readonly description?: string;
}

interface NodeState<TNode extends string, TTarget extends string, TGuard extends string>
  extends Ends<TTarget, TGuard>,
    Without<'nodes' | 'waiting' | 'final' | 'after'> {
  readonly node: TNode;
}

/** Nodes that run at the same time, each in its own region. The first failure stops the others. */
interface NodesState<TNode extends string, TTarget extends string, TGuard extends string>
  extends Ends<TTarget, TGuard>,
    Without<'node' | 'waiting' | 'final' | 'after'> {
  readonly nodes: readonly TNode[];
}

interface WaitingState<TTarget extends string, TGuard extends string, TEvent extends string>
  extends Without<'node' | 'nodes' | 'final' | 'done' | 'error'> {
  /** Edges by the event that takes them. */
  readonly waiting: { readonly [E in TEvent]?: EdgesTo<TTarget, TGuard> };
  /** Timers: milliseconds and the next state. */
  readonly after?: { readonly [milliseconds: number]: EdgesTo<TTarget, TGuard> };
  readonly description?: string;
}

interface FinalState extends Without<'node' | 'nodes' | 'waiting' | 'after' | 'done' | 'error'> {
  /** `'failure'` or `'success'` is required where an error edge leads to the state. */
  readonly final: true | 'failure' | 'success';
  readonly description?: string;
}

/** Plain XState config. `defineMachine` does not check its names; XState and the linter do. */
interface PlainState extends Without<'node' | 'nodes' | 'waiting' | 'final' | 'done' | 'error' | 'names'> {
  readonly type?: 'atomic' | 'compound' | 'parallel' | 'final' | 'history';
  readonly initial?: unknown;
  readonly states?: object;
  readonly invoke?: unknown;
  readonly on?: object;
  readonly always?: unknown;
  readonly after?: object;
  readonly onDone?: unknown;
  readonly tags?: unknown;
  readonly entry?: unknown;
  readonly exit?: unknown;
  readonly meta?: unknown;
  readonly description?: string;
}

type StateDescription<TNode extends string, TTarget extends string, TGuard extends string, TEvent extends string> =
  | NodeState<TNode, TTarget, TGuard>
  | NodesState<TNode, TTarget, TGuard>
  | WaitingState<TTarget, TGuard, TEvent>
  | FinalState
  | PlainState
  | (StateConfig<{ readonly node: TNode; readonly target: TTarget; readonly guard: TGuard; readonly event: TEvent }> &
      Without<'node' | 'nodes' | 'waiting' | 'final' | 'done' | 'error'>);

/** States by name, as data or made with `node`, `waiting`, `final`, `parallelNodes`, `nested` and `parallel`. */
export type StateDescriptions<
  TName extends string,
  TNode extends string,
  TTarget extends string,
  TGuard extends string,
  TEvent extends string,
> = { readonly [S in TName]: StateDescription<TNode, TTarget, TGuard, TEvent> };
