import type { GraphEdge } from '../../workflow/graph.ts';
import type { EdgeShape, MachineLayout } from './machine-layout.ts';

/** An edge that a run has taken; what the run's event `edge` has. */
export interface TakenEdge {
  /** Path of the state that it has left. */
  readonly from: string;
  readonly on: string;
  readonly guard?: string;
}

/** What of a layout a run has been through. */
export interface DrawnPath {
  readonly isTaken: (edge: GraphEdge, from: string) => boolean;
  readonly isLit: (shape: EdgeShape) => boolean;
  /** Paths of states. */
  readonly visited: ReadonlySet<string>;
  readonly active: ReadonlySet<string>;
}

/** Finds the way of a run in a layout. Edges and states that the machine has not are passed over: a run may be of an older one. */
export function drawnPath(layout: MachineLayout, path: readonly TakenEdge[], active: readonly string[]): DrawnPath {
  const taken = new Set(path.map(keyOf));
  const isTaken = ({ on, guard }: GraphEdge, from: string): boolean =>
    taken.has(keyOf({ from, on, ...(guard === undefined ? {} : { guard }) }));
  const isLit = ({ edges, from }: EdgeShape): boolean => edges.some((edge) => isTaken(edge, from));
  const lit = layout.edges.filter(isLit);
  return { isTaken, isLit, visited: new Set(lit.flatMap(({ from, to }) => [from, to])), active: new Set(active) };
}

const keyOf = ({ from, on, guard }: TakenEdge): string => JSON.stringify([from, on, guard]);
