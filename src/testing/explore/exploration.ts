import type { MachineContext } from 'xstate';
import type { ErrorInfo } from '../../core/ports/error-info.ts';
import type { UndecidedReason } from '../../core/ports/promise-report.ts';
import type { AnyWorkflow } from '../../engine/define/define-workflow.ts';
import type { MachineGraph } from '../../engine/define/graph.ts';
import type { TakenEdge } from '../../engine/drive/stepper.ts';
import type { Calls, OutcomeClass } from './outcome-class.ts';

/** All behaviours of a machine, within a bound and an abstraction. */
export interface Exploration<TState = MachineContext> {
  /** The explored workflow. */
  readonly workflow: AnyWorkflow;
  readonly graph: MachineGraph;
  /** Places of a run, nearest to a start first. Each has one state that represents all equivalent ones. */
  readonly states: readonly ExploredState<TState>[];
  /** Moves between places. Outcomes that take the same edges to the same place are listed once. */
  readonly moves: readonly ExploredMove<TState>[];
  /** False if something was cut off; see `cutOff`. */
  readonly complete: boolean;
  readonly bound: { readonly maxStates: number };
  /** Descriptions of the unexplored parts; empty if complete. */
  readonly cutOff: readonly string[];
  /** The same as reasons with codes. */
  readonly gaps: readonly UndecidedReason[];
  /** Values that distinguish states. A change in any other value makes no new place. */
  readonly abstraction: readonly string[];
  /** Assumptions of the exploration, such as given outcomes. */
  readonly assumptions: readonly string[];
  /** Given and proposed outcomes of nodes and waits, by the path of their states. */
  readonly outcomes: ReadonlyMap<string, readonly OutcomeClass<TState>[]>;
  /** Edges that some move takes. */
  readonly edgesTaken: readonly TakenEdge[];
  /** Edges of the graph that no move takes. */
  readonly edgesNeverTaken: readonly TakenEdge[];
  /** Places from which no end can be reached. */
  readonly stuck: readonly ExploredState<TState>[];
  /** Outcomes that no edge takes, and errors of the definition's functions. */
  readonly failures: readonly ExploredFailure<TState>[];
  /** Returns a shortest path from a start to a place. */
  pathTo(state: ExploredState<TState>): readonly ExploredMove<TState>[];
}

/** A place: a point that a run can be at. */
export interface ExploredState<TState = MachineContext> {
  /** Index in the list of places. */
  readonly index: number;
  /** Path of the active state. Paths of several active states are joined with `|`. */
  readonly where: string;
  readonly state: Readonly<TState>;
  /** Running nodes, by the paths of their states. */
  readonly working: readonly string[];
  /** Active waiting states. */
  readonly waiting: readonly string[];
  /** True once the run has ended. */
  readonly done: boolean;
  /** Number of moves from the nearest start. */
  readonly depth: number;
}

/** A move of a run: a node, timer or wait ends, and edges are taken. */
export interface ExploredMove<TState = MachineContext> {
  readonly from: ExploredState<TState>;
  readonly to: ExploredState<TState>;
  /** Path of the state whose node, timer or wait has ended. */
  readonly by: string;
  readonly kind: 'node' | 'timer' | 'wait';
  /** Outcome that ended it. */
  readonly outcome: string;
  readonly calls?: Calls;
  readonly edges: readonly TakenEdge[];
  /** Nodes that were stopped while running, by the paths of their states. */
  readonly stopped: readonly string[];
  /** State after the move. It can differ from the state of `to` in values that do not distinguish places. */
  readonly state: Readonly<TState>;
}

/** An outcome at which a run would fail. */
export interface ExploredFailure<TState = MachineContext> {
  /** Absent for a failure at the start. */
  readonly from?: ExploredState<TState>;
  readonly by: string;
  readonly outcome: string;
  readonly error: ErrorInfo;
}
