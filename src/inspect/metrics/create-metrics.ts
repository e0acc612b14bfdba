import type { Clock } from '../../core/ports/clock.ts';
import type { RateLimits } from '../../core/ports/rate-limits.ts';
import type { RunStore } from '../../core/ports/run-store.ts';
import { atLeastZero, checkOptions, count, object, objectWith, optionInvalid } from '../../core/util/check-options.ts';
import type { PriceTable } from '../../core/util/model-cost.ts';
import { systemClock } from '../../core/util/system-clock.ts';
import type { WorkerEvent, WorkerObserver } from '../../engine/workers/create-worker.ts';
import { after } from '../store-wrapper.ts';
import { CountedMetric } from './counted-metric.ts';
import { type CountedName, counted, type ReadName, read } from './definitions.ts';
import { meteredStore } from './metered-store.ts';
import type { MetricsMeter, ObserveCallback } from './metrics-meter.ts';
import { observeProcess, type ReadValues } from './process-state.ts';
import { countedText, valuesText } from './prometheus-text.ts';
import { RunCounts } from './run-counts.ts';
import { StoreTallies } from './store-tallies.ts';
import { tallyValues } from './tally-values.ts';

export interface MetricsOptions {
  /** Prices of models, for the cost. @default {} */
  readonly prices?: PriceTable;
  /** Maximum number of series per metric. Further names of workflows, tools and models count as `other`. @default 500 */
  readonly maxSeries?: number;
  /** Receives the same metrics: `metrics.getMeter('agent-machines')` of `@opentelemetry/api`. Default: none. */
  readonly meter?: MetricsMeter;
  /**
   * Time for which the counts of a store are kept, in milliseconds: at least 50 times as long as it took to count. 0 counts at each reading.
   * @default 5_000
   */
  readonly tallyMs?: number;
  /** @default the machine's clock */
  readonly clock?: Clock;
}

export interface MetricsTextOptions {
  /** Ids of workflows that have a 0 for each status although the store has no run of them. @default [] */
  readonly workflows?: readonly string[];
}

/** Metrics of a process: its stores, runs, workers and memory. No label contains a text of a run. */
export interface Metrics extends WorkerObserver {
  /** Wraps a store so that its runs and its calls are counted. A wrapped store is returned unchanged. @throws {WorkflowError} `OPTION_INVALID`. */
  store<TStore extends RunStore>(store: TStore): TStore;
  /** Wraps rate limits so that waits are counted. @throws {WorkflowError} `OPTION_INVALID`. */
  limits(limits: RateLimits): RateLimits;
  /** All metrics in the text format of Prometheus. */
  text(options?: MetricsTextOptions): Promise<string>;
  /** Stops to observe the event loop, and to answer the meter. */
  close(): void;
}

/**
 * Creates the metrics of a process. Counting takes a few steps per journal entry, and none per token.
 *
 * @throws {WorkflowError} `OPTION_INVALID`.
 * @example
 * const metrics = createMetrics();
 * const runtime = createRuntime({ store: metrics.store(store), workflows });
 * const worker = createWorker({ runtime, metrics });
 * console.log(await metrics.text());
 */
export function createMetrics(options: MetricsOptions = {}): Metrics {
  checkOptions('createMetrics', options, metricsOptions);
  return new ProcessMetrics(options);
}

const metricsOptions = {
  prices: object,
  maxSeries: count,
  meter: objectWith('a Meter', 'createCounter'),
  tallyMs: atLeastZero,
  clock: objectWith('a Clock', 'now'),
};

const areStores = objectWith('a RunStore', 'create');
const areLimits = objectWith('RateLimits', 'take');

/** Wrapped stores; a second wrapper would count twice. */
const known = new WeakSet<object>();

const readNames = Object.keys(read) as readonly ReadName[]; // keys of `read`

class ProcessMetrics implements Metrics {
  readonly #counted: Readonly<Record<CountedName, CountedMetric>>;
  readonly #runs: RunCounts;
  readonly #process = observeProcess();
  readonly #tallies: StoreTallies;
  readonly #maxSeries: number;
  readonly #clock: Clock;
  readonly #stopMeter: () => void;
  #workers = 0;

  constructor({ prices = {}, maxSeries = 500, meter, tallyMs = 5_000, clock = systemClock }: MetricsOptions) {
    this.#maxSeries = maxSeries;
    this.#clock = clock;
    this.#tallies = new StoreTallies(clock, tallyMs);
    const entries = Object.entries(counted).map(([name, definition]) => [name, new CountedMetric(definition, maxSeries, meter)]);
    this.#counted = Object.fromEntries(entries) as Record<CountedName, CountedMetric>; // fromEntries forgets the names
    this.#runs = new RunCounts(this.#counted, prices);
    this.#stopMeter = meter ? this.#observedBy(meter) : () => {};
  }

  store<TStore extends RunStore>(store: TStore): TStore {
    if (!areStores.is(store)) throw optionInvalid('metrics.store takes a RunStore.', 'Pass the store that you give to the runtime.');
    if (known.has(store)) return store;
    const { storeDuration, storeErrors } = this.#counted;
    const wrapped = meteredStore(store, {
      runs: this.#runs,
      duration: storeDuration,
      errors: storeErrors,
      closed: () => this.#tallies.delete(wrapped),
    });
    this.#tallies.add(wrapped);
    known.add(wrapped);
    return wrapped;
  }

  limits(limits: RateLimits): RateLimits {
    const { rateWait, rateRefused } = this.#counted;
    if (!areLimits.is(limits)) throw optionInvalid('metrics.limits takes RateLimits.', 'Pass the result of rateLimits(store).');
    return {
      take: (name, rate, maxWaitMs, lateMs) =>
        after(limits.take(name, rate, maxWaitMs, lateMs), ({ isTaken, waitMs }) =>
          isTaken ? rateWait.add(waitMs / 1000, name) : rateRefused.add(1, name),
        ),
      giveBack: (name, place) => limits.giveBack(name, place),
    };
  }

  watchWorker(closed: Promise<void>): (event: WorkerEvent) => void {
    const ended = (): void => void this.#workers--;
    this.#workers++;
    closed.then(ended, ended);
    return (event) => this.#countWorker(event);
  }

  async text(options: MetricsTextOptions = {}): Promise<string> {
    const values = await this.#read(options);
    const texts = readNames.map((name) => valuesText(read[name], values[name] ?? []));
    return [...texts, ...Object.values(this.#counted).map(countedText)].join('');
  }

  close(): void {
    this.#process.close();
    this.#stopMeter();
  }

  async #read({ workflows = [] }: MetricsTextOptions = {}): Promise<ReadValues> {
    const { tallies, isUp } = await this.#tallies.read();
    return {
      ...this.#process.values(),
      ...tallyValues(tallies, { workflows, maxSeries: this.#maxSeries, now: this.#clock.now() }),
      storeUp: [{ labels: [], value: Number(isUp) }],
      workers: [{ labels: [], value: this.#workers }],
    };
  }

  /** @returns the function that ends it. */
  #observedBy(meter: MetricsMeter): () => void {
    const stops = readNames.map((name) => {
      const { name: title, type, help: description, labels, unit } = read[name];
      const options = { description, ...(unit === undefined ? {} : { unit }) };
      const observed = type === 'counter' ? meter.createObservableCounter(title, options) : meter.createObservableGauge(title, options);
      const observe: ObserveCallback = async (result) => {
        for (const { labels: values, value } of (await this.#read())[name] ?? [])
          result.observe(value, Object.fromEntries(labels.map((label, index) => [label, values[index] ?? ''])));
      };
      observed.addCallback(observe);
      return () => observed.removeCallback(observe);
    });
    return () => {
      for (const stop of stops) stop();
    };
  }

  #countWorker(event: WorkerEvent): void {
    const { workerTaken, workerFired, workerLeft, workerTrouble } = this.#counted;
    switch (event.type) {
      case 'taken':
        workerTaken.add(1, event.why);
        return;
      case 'fired':
        workerFired.add(1, event.schedule);
        return;
      case 'left':
        workerLeft.add(1, event.error.code);
        return;
      case 'trouble':
        workerTrouble.add(1, event.error.code);
        return;
      case 'rested':
        return; // the store counts ends
    }
  }
}
