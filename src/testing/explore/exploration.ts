import type { MachineContext } from 'xstate';
import type { ErrorInfo } from '../../ports/error-info.ts';
import type { TakenEdge } from '../../runtime/stepper.ts';
import type { MachineGraph } from '../../workflow/graph.ts';
import type { Calls, OutcomeClass } from './outcome-class.ts';

/** Everything that a machine can do, within a bound and an abstraction. */
export interface Exploration<TState = MachineContext> {
  readonly graph: MachineGraph;
  /** Where a run can be, each with one state that stands for all that are alike; in the order of their distance from a start. */
  readonly states: readonly ExploredState<TState>[];
  /** What leads from one to another. Of several outcomes that take the same edges to the same place there is one. */
  readonly moves: readonly ExploredMove<TState>[];
  /** False when something was cut off: `cutOff` says what. */
  readonly complete: boolean;
  readonly bound: { readonly maxStates: number };
  /** What was not explored, in words; empty when it is complete. */
  readonly cutOff: readonly string[];
  /** What was told apart of the state: a change in anything else makes no other place. */
  readonly abstraction: readonly string[];
  /** What became of nodes and waits, by the path of their states: those that were given, and those that were proposed. */
  readonly outcomes: ReadonlyMap<string, readonly OutcomeClass<TState>[]>;
  /** Edges that are taken somewhere. */
  readonly edgesTaken: readonly TakenEdge[];
  /** Edges of the graph that are taken nowhere. */
  readonly edgesNeverTaken: readonly TakenEdge[];
  /** Places from which no end can be reached. */
  readonly stuck: readonly ExploredState<TState>[];
  /** What breaks: no edge takes an outcome, or a function of the definition throws. */
  readonly failures: readonly ExploredFailure<TState>[];
  /** A shortest way to a place, from a start. */
  pathTo(state: ExploredState<TState>): readonly ExploredMove<TState>[];
}

/** Where a run can be. */
export interface ExploredState<TState = MachineContext> {
  /** Its place in the list. */
  readonly index: number;
  /** Path of the active state. Paths of several active states are joined with `|`. */
  readonly where: string;
  readonly state: Readonly<TState>;
  /** Nodes that work, by the paths of their states. */
  readonly working: readonly string[];
  /** Active waiting states. */
  readonly waiting: readonly string[];
  /** True once the run has ended. */
  readonly done: boolean;
  /** How many moves it is away from a start. */
  readonly depth: number;
}

/** A step of a run: something ends, and edges are taken. */
export interface ExploredMove<TState = MachineContext> {
  readonly from: ExploredState<TState>;
  readonly to: ExploredState<TState>;
  /** Path of the state whose node, timer or wait has ended. */
  readonly by: string;
  readonly kind: 'node' | 'timer' | 'wait';
  /** What it ended with. */
  readonly outcome: string;
  readonly calls?: Calls;
  readonly edges: readonly TakenEdge[];
  /** Nodes that were left while they worked, by the paths of their states. */
  readonly stopped: readonly string[];
  /** The state that it makes: that of `to`, but for what was not told apart. */
  readonly state: Readonly<TState>;
}

/** An outcome that a run would break at. */
export interface ExploredFailure<TState = MachineContext> {
  /** Absent: it broke at the start. */
  readonly from?: ExploredState<TState>;
  readonly by: string;
  readonly outcome: string;
  readonly error: ErrorInfo;
}
