import { type GraphEdge, type GraphState, type MachineGraph, targetsOf } from '../engine/define/graph.ts';
import type { TakenEdge } from './drawing/drawn-path.ts';

/** Maximum number of eventless edges in one move. */
const maxEdges = 8;

/**
 * Returns the eventless edges that follow an edge in the same move: `always` edges, and `state.done` of a compound state. A run reports only
 * the first edge. Returns none if several ways lead to the active states, or if the move enters several states at once.
 *
 * @param active Paths of the active states after the move.
 */
export function followingEdges({ states }: MachineGraph, taken: TakenEdge, active: readonly string[]): readonly TakenEdge[] {
  const byPath = new Map(states.map((state) => [state.path, state]));
  const first = byPath.get(taken.from)?.edges.find(({ on, guard }) => on === taken.on && guard === taken.guard);
  const ways: (readonly TakenEdge[])[] = [];
  const follow = (edge: GraphEdge, way: readonly TakenEdge[]): void => {
    const [target, ...more] = targetsOf(edge);
    const [leaf, ...others] = target === undefined ? [] : leavesOf(states, target);
    if (leaf === undefined || more.length > 0 || others.length > 0 || ways.length > 1) return;
    if (active.includes(leaf)) ways.push(way);
    else if (way.length < maxEdges) {
      for (const [from, next] of eventless(byPath, leaf)) {
        const { on, guard } = next;
        const turn = from.edges.filter((other) => other.on === on).indexOf(next);
        follow(next, [...way, { from: from.path, on, turn, ...(guard === undefined ? {} : { guard }) }]);
      }
    }
  };
  if (first) follow(first, []);
  return ways.length === 1 ? (ways[0] ?? []) : [];
}

/** Returns the states that a run is in after it has entered a state. */
function leavesOf(states: readonly GraphState[], path: string): readonly string[] {
  const state = states.find((one) => one.path === path);
  if (state?.kind !== 'compound' && state?.kind !== 'parallel') return [path];
  return firstStates(states, path, state.initial);
}

/** Returns the eventless edges of a state and of those around it. */
function eventless(byPath: ReadonlyMap<string, GraphState>, leaf: string): readonly (readonly [GraphState, GraphEdge])[] {
  const found: (readonly [GraphState, GraphEdge])[] = [];
  const isFinal = byPath.get(leaf)?.kind === 'final';
  for (let state = byPath.get(leaf); state; state = byPath.get(state.parent)) {
    const isDone = isFinal && byPath.get(leaf)?.parent === state.path;
    for (const edge of state.edges) if (edge.on === 'always' || (isDone && edge.on === 'state.done')) found.push([state, edge]);
  }
  return found;
}

/** Returns the leaves inside a state that are entered first. @param initial Absent for a parallel state. */
export function firstStates(states: readonly GraphState[], parent: string, initial: string | undefined): readonly string[] {
  const entered = states.filter((state) => state.parent === parent && !state.history && (initial === undefined || state.path === initial));
  return entered.flatMap((state) => {
    if (state.kind === 'parallel') return firstStates(states, state.path, undefined);
    return state.kind === 'compound' ? firstStates(states, state.path, state.initial) : [state.path];
  });
}
