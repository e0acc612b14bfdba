import type { AnyStateMachine } from 'xstate';
import { optionInvalid } from '../../core/util/check-options.ts';
import { didYouMean } from '../../core/util/nearest-name.ts';
import { toGraph } from '../../engine/define/graph.ts';
import { type LeafGraph, toLeafGraph } from '../explore/leaf-graph.ts';

/** Edges of a machine as the event log names them. */
export interface MachineEdges {
  /** Each `from -> to`, in the order of the states. */
  readonly all: readonly string[];
  readonly finals: readonly string[];
  has(edge: string): boolean;
}

/** Writes an edge as reports do: `agent→done` becomes `agent -> done`. */
export function normalEdge(edge: string): string {
  const [, from, to] = /^\s*(\S+?)\s*(?:->|→)\s*(\S+)\s*$/.exec(edge) ?? [];
  if (from !== undefined && to !== undefined) return `${from} -> ${to}`;
  throw optionInvalid(`"${edge}" is not an edge.`, 'Write it as "from -> to", with the names of two states.');
}

/**
 * Reads the edges of a machine. A run logs the state that it leaves and the states in which it rests afterwards. So an edge leads to the
 * innermost states, and on through edges without an event.
 */
export function machineEdges(machine: AnyStateMachine): MachineEdges {
  const graph = toGraph(machine);
  const leaves = toLeafGraph(graph);
  const moves = new Map<string, Set<string>>();
  const all: string[] = [];
  for (const { path, edges } of graph.states) {
    const reached = new Set<string>();
    for (const edge of edges) if (!isEventless(edge.on)) reach(leaves, edge, reached);
    moves.set(path, reached);
    for (const to of reached) all.push(`${path} -> ${to}`);
  }
  return {
    all,
    finals: graph.states.filter(({ kind, parent }) => kind === 'final' && parent === '').map(({ path }) => path),
    has(edge) {
      const [from = '', to = ''] = normalEdge(edge).split(' -> ');
      const active = to.split('|');
      return around(from).some((state) => active.some((leaf) => moves.get(state)?.has(leaf)));
    },
  };
}

const isEventless = (on: string): boolean => on === 'always' || on === 'state.done' || on === 'default';

/** Collects the innermost states to which an edge may lead in one move. */
function reach(leaves: LeafGraph, edge: Parameters<LeafGraph['entered']>[0], reached: Set<string>): void {
  for (const leaf of leaves.entered(edge)) {
    if (reached.has(leaf.path)) continue;
    reached.add(leaf.path);
    for (const next of leaves.leaving(leaf)) if (isEventless(next.edge.on)) reach(leaves, next.edge, reached);
  }
}

/** A state and the states around it: an edge of an outer state leaves from inside. */
function around(path: string): readonly string[] {
  const keys = path.split('.');
  return keys.map((_, index) => keys.slice(0, keys.length - index).join('.'));
}

/** @throws {WorkflowError} `OPTION_INVALID` for edges that the machine does not have, with those that it has. */
export function checkEdges(place: string, edges: readonly string[], machine: MachineEdges): void {
  const wrong = edges.filter((edge) => !machine.has(edge));
  if (wrong.length === 0) return;
  throw optionInvalid(
    `${place} names ${wrong.length === 1 ? 'an edge' : 'edges'} that the machine does not have: ${wrong.join(', ')}.`,
    `${didYouMean(wrong[0] ?? '', machine.all)}It has: ${machine.all.join(', ')}.`,
  );
}
