import { prove } from './script.ts';
import { mean, median } from './statistics.ts';
import type { OpenVariant } from './variant.ts';
import { type VariantName, variants } from './variants.ts';

/** How fast one variant was in one process. */
export interface RunsSample {
  /** Microseconds per run: all the time of the measured batches, collections of garbage included, by all their runs. */
  readonly usPerRun: number;
  /** The same of the batch in the middle: far below `usPerRun` when something else has taken the processor in between. */
  readonly usPerRunOfMedianBatch: number;
  readonly runs: number;
  readonly warmUpMs: number;
  /** False: the rate was still moving when the warm-up was cut off. */
  readonly stable: boolean;
}

const batchMs = 20;
/** Stable: the rates of so many stretches in a row differ by no more than this. */
const stretches = 4;
const stretchMs = 100;
const spread = 0.05;

export async function measureRuns(name: VariantName, quick: boolean): Promise<RunsSample> {
  const bench = await Bench.open(name);
  const batchOf = (usPerRun: number): number => Math.max(1, Math.min(variants[name].runsPerStore, Math.round((batchMs * 1000) / usPerRun)));
  const warm = await warmUp(bench, batchOf(await bench.batch(5)), quick ? 500 : 3_000);
  const size = batchOf(warm.usPerRun);

  const least = quick ? { ms: 200, runs: 200 } : { ms: 1_000, runs: 2_000 };
  const batches: number[] = [];
  const start = performance.now();
  let runs = 0;
  // at least a second, but of a fast variant also thousands of runs; a slow one may stop after twice the time with fewer
  while (performance.now() - start < least.ms || (runs < least.runs && performance.now() - start < 2 * least.ms)) {
    batches.push(await bench.batch(size));
    runs += size;
  }
  await bench.close();
  return {
    usPerRun: mean(batches),
    usPerRunOfMedianBatch: median(batches),
    runs,
    warmUpMs: warm.warmUpMs,
    stable: warm.stable,
  };
}

interface WarmUp extends Pick<RunsSample, 'warmUpMs' | 'stable'> {
  readonly usPerRun: number;
}

async function warmUp(bench: Bench, size: number, atMostMs: number): Promise<WarmUp> {
  const start = performance.now();
  const rates: number[] = [];
  for (;;) {
    const batches: number[] = [];
    const stretchStart = performance.now();
    while (performance.now() - stretchStart < stretchMs) batches.push(await bench.batch(size));
    rates.push(median(batches));
    const last = rates.slice(-stretches);
    const stable = last.length === stretches && Math.max(...last) <= Math.min(...last) * (1 + spread);
    const warmUpMs = Math.round(performance.now() - start);
    if (stable || warmUpMs >= atMostMs) return { warmUpMs, stable, usPerRun: median(last) };
  }
}

/** A variant that has been proved. Stores are opened, proved and closed outside the measured time. */
class Bench {
  readonly #name: VariantName;
  #open: OpenVariant;
  #runsLeft: number;

  private constructor(name: VariantName, open: OpenVariant) {
    this.#name = name;
    this.#open = open;
    this.#runsLeft = variants[name].runsPerStore;
  }

  static async open(name: VariantName): Promise<Bench> {
    const open = await variants[name].open();
    await prove(name, () => open.finalState());
    return new Bench(name, open);
  }

  /** @returns microseconds per run. */
  async batch(size: number): Promise<number> {
    if (this.#runsLeft < size) {
      await this.#open.close();
      this.#open = await variants[this.#name].open();
      await prove(this.#name, () => this.#open.finalState());
      this.#runsLeft = variants[this.#name].runsPerStore;
    }
    this.#runsLeft -= size;
    const { run } = this.#open;
    const start = performance.now();
    for (let i = 0; i < size; i++) await run();
    return ((performance.now() - start) * 1000) / size;
  }

  async close(): Promise<void> {
    await prove(this.#name, () => this.#open.finalState());
    await this.#open.close();
  }
}
