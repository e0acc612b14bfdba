import type { GraphEdge } from '../../engine/define/graph.ts';
import type { EdgeShape, MachineLayout } from './machine-layout.ts';

/** Edge that a run has taken. Has the fields of the run's event `edge`. */
export interface TakenEdge {
  /** Path of the source state. */
  readonly from: string;
  readonly on: string;
  readonly guard?: string;
  /** Position among the state's edges with this event, from 0. Tells edges with equal guards apart. */
  readonly turn?: number;
}

/** Parts of a layout that a run has visited. */
export interface DrawnPath {
  readonly isTaken: (edge: GraphEdge, from: string) => boolean;
  readonly isLit: (shape: EdgeShape) => boolean;
  /** Paths of states. */
  readonly visited: ReadonlySet<string>;
  readonly active: ReadonlySet<string>;
}

/**
 * Finds the path of a run in a layout. Ignores edges and states that the machine does not have, because the run may be of an older version.
 */
export function drawnPath(layout: MachineLayout, path: readonly TakenEdge[], active: readonly string[]): DrawnPath {
  const taken = Map.groupBy(path, keyOf);
  const edgesOf = new Map(layout.states.map(({ state }) => [state.path, state.edges]));
  const isTaken = (edge: GraphEdge, from: string): boolean =>
    (taken.get(keyOf({ ...edge, from })) ?? []).some(({ turn }) => turn === undefined || turn === turnOf(edge, edgesOf.get(from) ?? []));
  const isLit = ({ edges, from }: EdgeShape): boolean => edges.some((edge) => isTaken(edge, from));
  const lit = layout.edges.filter(isLit);
  return { isTaken, isLit, visited: new Set(lit.flatMap(({ from, to }) => [from, to])), active: new Set(active) };
}

/** Position of an edge among those with its event. */
const turnOf = (edge: GraphEdge, all: readonly GraphEdge[]): number => all.filter(({ on }) => on === edge.on).indexOf(edge);

const keyOf = ({ from, on, guard }: TakenEdge): string => JSON.stringify([from, on, guard]);
