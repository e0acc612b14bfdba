import { fleetStates } from '../../core/ports/fleet-state.ts';
import type { StoreTally } from '../../core/ports/run-store.ts';
import { CountedMetric } from './counted-metric.ts';
import { read } from './definitions.ts';
import { type LabelledValue, valuesText } from './prometheus-text.ts';

export interface TallyOptions {
  /** Further workflows that have a 0 per status without runs. @default [] */
  readonly workflows?: readonly string[];
  /** Maximum number of series per metric; runs of further workflows count as `other`. @default 500 */
  readonly maxSeries?: number;
  /** Time of the ages, in milliseconds since 1970. */
  readonly now: number;
}

const tallyNames = ['runs', 'failedRuns', 'oldestRun', 'threads'] as const;

type TallyValues = Readonly<Record<(typeof tallyNames)[number], readonly LabelledValue[]>>;

const ended: ReadonlySet<string> = new Set(['done', 'failed', 'cancelled']);

/** Sums the counts of stores. */
export function tallyValues(tallies: readonly StoreTally[], { workflows = [], maxSeries = 500, now }: TallyOptions): TallyValues {
  if (tallies.length === 0) return { runs: [], failedRuns: [], oldestRun: [], threads: [] }; // 0 would be an assertion
  const runs = new CountedMetric(read.runs, maxSeries);
  const failed = new CountedMetric(read.failedRuns, maxSeries);
  const oldest = new CountedMetric(read.oldestRun, maxSeries);
  const groups = tallies.flatMap((tally) => tally.runs);
  const known = new Set([...workflows, ...groups.map(({ workflow }) => workflow)]);
  // an alert and a panel need a 0, if there is room for it
  if (known.size * fleetStates.length <= maxSeries)
    for (const workflow of known) for (const state of fleetStates) runs.add(0, workflow, state);
  for (const { workflow, state, code = '', count, oldestAt } of groups) {
    runs.add(count, workflow, state);
    if (state === 'failed') failed.add(count, workflow, code);
    if (!ended.has(state)) oldest.raise(Math.max(0, now - oldestAt) / 1000, workflow, state);
  }
  return {
    runs: valuesOf(runs),
    failedRuns: valuesOf(failed),
    oldestRun: valuesOf(oldest),
    threads: [{ labels: [], value: tallies.reduce((sum, { threads }) => sum + threads, 0) }],
  };
}

/** Writes the counts of a store in the text format of Prometheus. */
export function tallyText(tally: StoreTally, options: TallyOptions): string {
  const values = tallyValues([tally], options);
  return tallyNames.map((name) => valuesText(read[name], values[name])).join('');
}

const valuesOf = ({ series }: CountedMetric): readonly LabelledValue[] => [...series].map(({ labels, sum }) => ({ labels, value: sum }));
