import type { RunEvent } from '../core/ports/run-event.ts';
import type { MachineGraph } from '../engine/define/graph.ts';
import type { TakenEdge } from './drawing/drawn-path.ts';
import { firstStates, followingEdges } from './following-edges.ts';

/** Path and active states of a run, as `toSvg` and `toMermaid` show them. */
export interface RunPath {
  readonly path: readonly TakenEdge[];
  /** Paths of states. */
  readonly active: readonly string[];
}

/**
 * Reads the path of a run from its events. Ignores events of workflows inside its nodes.
 *
 * @example toSvg(graph, runPath(graph, events))
 */
export function runPath(graph: MachineGraph, events: Iterable<RunEvent>): RunPath {
  const path: TakenEdge[] = [];
  let active: readonly string[] | undefined;
  for (const event of events) {
    if (event.type !== 'edge' || event.node !== undefined) continue;
    const { from, on, guard, to } = event;
    const edge: TakenEdge = { from, on, ...(guard === undefined ? {} : { guard }) };
    active = to.split('|');
    path.push(edge, ...followingEdges(graph, edge, active));
  }
  return { path, active: active ?? initialStates(graph) };
}

/** Returns the paths of the initial states of a machine, without their parents. */
export const initialStates = ({ states, initial }: MachineGraph): readonly string[] => firstStates(states, '', initial || undefined);
