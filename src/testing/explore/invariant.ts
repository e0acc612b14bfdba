import type { MachineContext } from 'xstate';
import type { UndecidedReason } from '../../core/ports/promise-report.ts';
import type { TakenEdge } from '../../engine/drive/stepper.ts';
import type { Counterexample } from './counterexample.ts';
import type { Exploration } from './exploration.ts';

/** A property of all runs of a machine: made by `always`, `never`, `eventually`, `until`, `canReach` and `callsWithin`, or by hand. */
export interface Invariant<TState = MachineContext> {
  /** A sentence, such as `nothing is sent before it was approved`. */
  readonly name: string;
  /** Predicates that the check asks, so that an exploration can be made for many invariants at once. */
  readonly predicates?: readonly ((moment: never) => boolean)[];
  /** Checks the property in an exploration. A failed verdict has a shortest path to a violation. */
  check(exploration: Exploration<TState>): Verdict<TState>;
}

/** Result of checking a property: proven, disproven, or neither. */
export type Verdict<TState = MachineContext> = { readonly verdict: 'holds' } | Broken<TState> | Undecided;

/** A verdict that the check could not reach. */
interface Undecided {
  readonly verdict: 'undecided';
  /** At least one. */
  readonly reasons: readonly UndecidedReason[];
}

/** A failed verdict. */
interface Broken<TState> {
  readonly verdict: 'broken';
  /** The violation as a sentence. */
  readonly why: string;
  readonly counterexample: Counterexample<TState>;
}

/** A moment of a run: a place, and the move that reached it. */
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
  /** Edges that led here; none at the start. */
  readonly edges: readonly TakenEdge[];
  /** True if this state or a state inside it is active. */
  isIn(path: string): boolean;
  /** True if an edge of this state led here. `on` restricts it to `done`, `error` or an event, and `guard` to a guard. */
  took(from: string, on?: string, guard?: string): boolean;
}

/** Test of a moment. It may read any value of the state. */
export type Predicate<TState = MachineContext> = (moment: Moment<TState>) => boolean;
