import type { MachineContext } from 'xstate';
import type { GraphState } from '../../engine/define/graph.ts';
import { callsWithin } from './call-bounds.ts';
import type { Exploration } from './exploration.ts';
import type { Invariant } from './invariant.ts';
import { type LeafGraph, toLeafGraph } from './leaf-graph.ts';
import type { CallCount } from './outcome-class.ts';
import { mostWay, type Step } from './way-graph.ts';

interface CallLimit {
  /** Kind of calls to count. */
  readonly per: 'model' | 'tool';
  /** Largest allowed number of calls of a run. */
  readonly max: number;
  /** Number of calls that a node makes, by the path of its state or by its name. Default: 0 to `Infinity`. */
  readonly calls: { readonly [stateOrNode: string]: CallCount };
}

/**
 * Invariant that no run makes more calls than a limit. It holds for all values if even the longest path of the state graph stays within it;
 * otherwise the exploration decides, as in `callsWithin`.
 *
 * @throws {WorkflowError} `OPTION_INVALID` for an unknown state or node.
 * @example callsAtMost('a run asks the model at most 4 times', { per: 'model', max: 4, calls: { write: 1, check: [0, 2] } })
 */
export function callsAtMost<TState = MachineContext>(name: string, limit: CallLimit): Invariant<TState> {
  const searched = callsWithin<TState>(name, limit);
  return {
    ...searched,
    check: (exploration) => (mostCalls(exploration, limit) <= limit.max ? { verdict: 'holds' } : searched.check(exploration)),
  };
}

/** The largest number of calls on any path of the state graph; `Infinity` if a loop makes calls. */
function mostCalls<TState>({ graph }: Exploration<TState>, { calls }: CallLimit): number {
  const leaves = toLeafGraph(graph);
  const isKnown = (name: string): boolean => graph.states.some(({ path, node }) => path === name || node === name);
  if (leaves.isConcurrent || !Object.keys(calls).every(isKnown)) return Number.POSITIVE_INFINITY;
  const most = ({ path, node = '', kind }: GraphState): number => {
    const count = kind === 'node' ? (calls[path] ?? calls[node] ?? Number.POSITIVE_INFINITY) : 0;
    return typeof count === 'number' ? count : count[1];
  };
  const end = 'end';
  const way = mostWay<GraphState | typeof end, undefined>({
    sources: leaves.starts,
    targets: new Set([end]),
    leaving: (from) => (from === end ? [] : stepsFrom(leaves, from, most(from), end)),
  });
  return way?.count ?? 0;
}

/** A run may end in each state, and a node that is left counts its calls. */
const stepsFrom = <TEnd>(leaves: LeafGraph, from: GraphState, max: number, end: TEnd): readonly Step<GraphState | TEnd, undefined>[] =>
  [end, ...leaves.leaving(from).flatMap(({ edge }) => leaves.entered(edge))].map((to) => ({ from, to, label: undefined, min: 0, max }));
