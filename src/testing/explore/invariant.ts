import type { MachineContext } from 'xstate';
import type { TakenEdge } from '../../runtime/stepper.ts';
import type { Counterexample } from './counterexample.ts';
import type { Exploration, ExploredMove, ExploredState } from './exploration.ts';

/** Something that a machine promises: made by `always`, `never`, `eventually`, `until`, `canReach` and `callsWithin`, or by hand. */
export interface Invariant<TState = MachineContext> {
  /** As a sentence, such as `nothing is sent before it was approved`. */
  readonly name: string;
  /** Whether it holds everywhere in an exploration, and if not, a shortest way to where it does not. */
  check(exploration: Exploration<TState>): Verdict<TState>;
}

export type Verdict<TState = MachineContext> = { readonly ok: true } | Broken<TState>;

/** It does not hold. */
interface Broken<TState> {
  readonly ok: false;
  /** As a sentence. */
  readonly why: string;
  readonly counterexample: Counterexample<TState>;
}

/** A moment of a run: a place, and how it was reached. */
export interface Moment<TState = MachineContext> {
  /** Path of the active state. Paths of several active states are joined with `|`. */
  readonly where: string;
  readonly state: Readonly<TState>;
  /** True once the run has ended. */
  readonly done: boolean;
  /** Active waiting states. */
  readonly waiting: readonly string[];
  /** Path of the state whose node, timer or wait has ended; absent at the start. */
  readonly by?: string;
  readonly outcome?: string;
  /** The edges that have led here; none at the start. */
  readonly edges: readonly TakenEdge[];
  /** Is this state active, or one inside it? */
  isIn(path: string): boolean;
  /** Has an edge of this state led here: whichever, or one on `done`, `error`, an event …, with this guard? */
  took(from: string, on?: string, guard?: string): boolean;
}

/** A test of a moment; of the state it may read anything. */
export type Predicate<TState = MachineContext> = (moment: Moment<TState>) => boolean;

/** The moment at which a move arrives. */
export const arrivalOf = <TState>(move: ExploredMove<TState>, state: Readonly<TState>): Moment<TState> => ({
  ...momentOf(move.to, state, move.edges),
  by: move.by,
  outcome: move.outcome,
});

/** A place, however it was reached. */
export const placeOf = <TState>(place: ExploredState<TState>, state: Readonly<TState>): Moment<TState> => momentOf(place, state, []);

function momentOf<TState>(
  { where, done, waiting }: ExploredState<TState>,
  state: Readonly<TState>,
  edges: readonly TakenEdge[],
): Moment<TState> {
  return {
    where,
    state,
    done,
    waiting,
    edges,
    isIn: (path) => where.split('|').some((part) => part === path || part.startsWith(`${path}.`)),
    took: (from, on, guard) =>
      edges.some((edge) => edge.from === from && (on === undefined || edge.on === on) && (guard === undefined || edge.guard === guard)),
  };
}
