import { type GraphEdge, type GraphState, type MachineGraph, targetsOf } from '../../engine/define/graph.ts';

/** An edge of a state or of one around it. */
interface LeafEdge {
  /** Path of the state that has the edge. */
  readonly from: string;
  readonly edge: GraphEdge;
}

/** The state graph without guards: whatever a run does, it follows these edges. */
export interface LeafGraph {
  /** True if several states can be active at once, or an edge leads to a history state. */
  readonly isConcurrent: boolean;
  /** States without inner states that are active at the start. */
  readonly starts: readonly GraphState[];
  /** Edges that may leave an innermost state. */
  leaving(leaf: GraphState): readonly LeafEdge[];
  /** Innermost states that are active after an edge. */
  entered(edge: GraphEdge): readonly GraphState[];
}

export function toLeafGraph({ initial, states }: MachineGraph): LeafGraph {
  const byPath = new Map(states.map((state) => [state.path, state]));
  const inside = Map.groupBy(states, ({ parent }) => parent);
  const isHistory = (state: GraphState): boolean => state.kind === 'idle' && state.edges.length === 0;
  const leaves = (path: string): readonly GraphState[] => {
    const state = byPath.get(path);
    if (!state) return [];
    // a history state stands for any state beside it
    if (isHistory(state)) return (inside.get(state.parent) ?? []).flatMap((other) => (isHistory(other) ? [other] : leaves(other.path)));
    if (state.kind === 'compound') return leaves(state.initial ?? '');
    if (state.kind === 'parallel') return (inside.get(path) ?? []).flatMap((region) => leaves(region.path));
    return [state];
  };
  const around = (state: GraphState): readonly GraphState[] => {
    const parent = byPath.get(state.parent);
    return parent ? [state, ...around(parent)] : [state];
  };
  /** Entering one region of a parallel state enters all of them. */
  const entered = (path: string): readonly GraphState[] => {
    const state = byPath.get(path);
    const outer = state ? around(state).filter(({ kind }) => kind === 'parallel') : [];
    return [...new Set([...leaves(path), ...outer.flatMap((one) => leaves(one.path))])];
  };
  return {
    isConcurrent: states.some((state) => state.kind === 'parallel' || isHistory(state)),
    starts: leaves(initial),
    leaving: (leaf) => around(leaf).flatMap(({ path, edges }) => edges.map((edge) => ({ from: path, edge }))),
    entered: (edge) => [...new Set(targetsOf(edge).flatMap(entered))],
  };
}
