import type { RunEvent } from '../ports/run-event.ts';
import type { MachineGraph } from '../workflow/graph.ts';
import type { TakenEdge } from './drawing/drawn-path.ts';

/** Where a run has been and where it is: what `toSvg` and `toMermaid` show of it. */
export interface RunPath {
  readonly path: readonly TakenEdge[];
  /** Paths of states. */
  readonly active: readonly string[];
}

/**
 * Reads the way of a run from its events. Those of workflows inside its nodes are not its own.
 *
 * @example toSvg(graph, runPath(graph, events))
 */
export function runPath(graph: MachineGraph, events: Iterable<RunEvent>): RunPath {
  const path: TakenEdge[] = [];
  let active: readonly string[] | undefined;
  for (const event of events) {
    if (event.type !== 'edge' || event.node !== undefined) continue;
    const { from, on, guard, to } = event;
    path.push({ from, on, ...(guard === undefined ? {} : { guard }) });
    active = to.split('|');
  }
  return { path, active: active ?? initialStates(graph) };
}

/** Paths of what a machine is in when it has begun, innermost states only. */
export const initialStates = (graph: MachineGraph): readonly string[] => firstStates(graph, '', graph.initial);

function firstStates(graph: MachineGraph, parent: string, initial: string | undefined): readonly string[] {
  const entered = graph.states.filter((state) => state.parent === parent && (initial === undefined || state.path === initial));
  return entered.flatMap((state) => {
    if (state.kind === 'parallel') return firstStates(graph, state.path, undefined);
    return state.kind === 'compound' ? firstStates(graph, state.path, state.initial) : [state.path];
  });
}
