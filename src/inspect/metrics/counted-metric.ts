import type { MetricDefinition } from './definitions.ts';
import { labelValue } from './label-value.ts';
import type { MetricsMeter } from './metrics-meter.ts';

/** Values of a metric under one combination of labels. */
export interface Series {
  readonly labels: readonly string[];
  /** The labels by name. */
  readonly attributes: Readonly<Record<string, string>>;
  /** Value of a counter, or sum of a histogram. */
  sum: number;
  /** Number of values per bucket; the last has those above all bounds. Empty for a counter. */
  readonly buckets: number[];
}

/** Value of the labels of all series above the limit. */
const otherName = 'other';

/** Labels whose values the code lists; they stay apart above the limit. */
const closedLabels: ReadonlySet<string> = new Set(['status', 'kind', 'operation', 'why']);

/** A counter or histogram with a limited number of series. */
export class CountedMetric {
  readonly definition: MetricDefinition;
  readonly #maxSeries: number;
  readonly #series = new Map<string, Series>();
  readonly #report: (value: number, series: Series) => void;

  constructor(definition: MetricDefinition, maxSeries: number, meter?: MetricsMeter) {
    this.definition = definition;
    this.#maxSeries = maxSeries;
    this.#report = meter ? reporter(definition, meter) : () => {};
  }

  get series(): Iterable<Series> {
    return this.#series.values();
  }

  /** Adds to a counter, or puts a value in a histogram. @param labels in the order of the definition. */
  add(value: number, ...labels: readonly string[]): void {
    if (!(value >= 0 && Number.isFinite(value))) return; // a counter never falls; a clock may
    const series = this.#find(labels);
    series.sum += value;
    const { bounds } = this.definition;
    if (bounds) {
      let index = 0;
      while (value > (bounds[index] ?? Number.POSITIVE_INFINITY)) index++;
      series.buckets[index] = (series.buckets[index] ?? 0) + 1;
    }
    this.#report(value, series);
  }

  /** Raises a value to at least this one. */
  raise(value: number, ...labels: readonly string[]): void {
    const series = this.#find(labels);
    series.sum = Math.max(series.sum, value);
  }

  #find(given: readonly string[]): Series {
    const key = given.join('\0');
    const known = this.#series.get(key);
    if (known) return known;
    const labels = this.#series.size < this.#maxSeries ? given.map(labelValue) : this.#otherLabels(given);
    const own = labels.join('\0');
    const same = this.#series.get(own);
    if (same) return same;
    const { bounds } = this.definition;
    const attributes = Object.fromEntries(this.definition.labels.map((name, index) => [name, labels[index] ?? '']));
    const series = { labels, attributes, sum: 0, buckets: bounds ? Array.from({ length: bounds.length + 1 }, () => 0) : [] };
    this.#series.set(own, series);
    return series;
  }

  #otherLabels(given: readonly string[]): readonly string[] {
    return this.definition.labels.map((name, index) => (closedLabels.has(name) ? labelValue(given[index] ?? '') : otherName));
  }
}

/** Reports the same values to OpenTelemetry. */
function reporter(
  { name, help: description, unit = '1', bounds }: MetricDefinition,
  meter: MetricsMeter,
): (value: number, series: Series) => void {
  if (bounds) {
    const instrument = meter.createHistogram(name, { description, unit, advice: { explicitBucketBoundaries: [...bounds] } });
    return (value, { attributes }) => instrument.record(value, attributes);
  }
  const instrument = meter.createCounter(name, { description });
  return (value, { attributes }) => instrument.add(value, attributes);
}
