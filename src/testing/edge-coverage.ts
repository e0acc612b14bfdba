import type { RunEvent } from '../core/ports/run-event.ts';
import type { GraphEdge, MachineGraph } from '../engine/define/graph.ts';

/** Coverage of a machine's edges by runs. */
export interface EdgeCoverage {
  /** Records the edges of a run's events. */
  add(events: Iterable<RunEvent>): void;
  /** Returns the edges that no run has taken, such as `executor --done [hasMoreSteps]--> executor`. */
  missing(): readonly string[];
}

/**
 * Records the edges that runs take, so that a test can require all of them.
 *
 * @example
 * const coverage = edgeCoverage(toGraph(workflow.machine));
 * coverage.add(await runtime.history(run.id).then((entries) => entries.flatMap((entry) => entry.events)));
 * expect(coverage.missing()).toEqual([]);
 */
export function edgeCoverage({ states }: MachineGraph): EdgeCoverage {
  const missing = new Map(states.flatMap(({ path, edges }) => edges.map((edge) => [keyOf(path, edge), edgeText(path, edge)])));
  return {
    add(events) {
      for (const event of events) if (event.type === 'edge') missing.delete(keyOf(event.from, event));
    },
    missing: () => [...missing.values()],
  };
}

const keyOf = (from: string, { on, guard = '' }: Pick<GraphEdge, 'on' | 'guard'>): string => JSON.stringify([from, on, guard]);

/** Prints an edge on one line, such as `executor --done [hasMoreSteps]--> executor`. */
export const edgeText = (from: string, { on, guard, target }: GraphEdge): string =>
  `${from} --${on}${guard === undefined ? '' : ` [${guard}]`}--> ${target ?? from}`;
