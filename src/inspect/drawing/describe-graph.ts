import { type MachineGraph, targetsOf } from '../../engine/define/graph.ts';
import type { TakenEdge } from './drawn-path.ts';

/** Describes a drawing in words, for screen readers: initial states, final states, edges, and the path of a run. */
export function describeGraph({ initial, states }: MachineGraph, path: readonly TakenEdge[], active: readonly string[]): string {
  const ends = states.filter(({ kind, parent }) => kind === 'final' && parent === '');
  const waits = states.filter(({ kind }) => kind === 'waiting').map((state) => state.path);
  return [
    `${states.length} states. It begins in ${initial}.`,
    ends.length > 0 ? `It ends in ${ends.map(({ path, outcome }) => (outcome === 'failure' ? `${path} (failed)` : path)).join(', ')}.` : '',
    waits.length > 0 ? `It waits for a human in ${waits.join(', ')}.` : '',
    ...states.map(({ path, edges }) => {
      const ways = edges.map((edge) => `${edge.on}${edge.guard ? ` [${edge.guard}]` : ''} to ${targetsOf(edge).join(' and ') || path}`);
      return ways.length > 0 ? `${path}: ${ways.join('; ')}.` : '';
    }),
    path.length > 0 ? `The path of the run is ${path.map(({ from, on, guard }) => `${from} (${guard ?? on})`).join(', ')}.` : '',
    active.length > 0 ? `It is in ${active.join(', ')}.` : '',
  ]
    .filter(Boolean)
    .join('\n');
}
