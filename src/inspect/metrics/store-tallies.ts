import type { Clock } from '../../core/ports/clock.ts';
import type { RunStore, StoreTally } from '../../core/ports/run-store.ts';
import { withTimeout } from '../../core/util/with-timeout.ts';

/** A store that does not answer must not hold up the other metrics, which say so. In milliseconds. */
const patienceMs = 3_000;

export interface TalliedStores {
  readonly tallies: readonly StoreTally[];
  /** True if every store has answered. */
  readonly isUp: boolean;
}

/** A tally reads a row per run, and a SQLite store blocks its process meanwhile: at most a 50th of the time. */
const restPerWork = 50;

/** Counts of several stores, cached. */
export class StoreTallies {
  readonly #stores = new Set<RunStore>();
  readonly #clock: Clock;
  readonly #maxAgeMs: number;
  #cached: Promise<TalliedStores> | undefined;
  #freshUntil = 0;

  constructor(clock: Clock, maxAgeMs: number) {
    this.#clock = clock;
    this.#maxAgeMs = maxAgeMs;
  }

  add(store: RunStore): void {
    this.#stores.add(store);
    this.#cached = undefined;
  }

  delete(store: RunStore): void {
    this.#stores.delete(store);
    this.#cached = undefined;
  }

  read(): Promise<TalliedStores> {
    const begun = this.#clock.monotonic();
    if (this.#cached && begun < this.#freshUntil) return this.#cached;
    this.#freshUntil = this.#maxAgeMs === 0 ? 0 : Number.POSITIVE_INFINITY; // while it is being read
    this.#cached = this.#readAll().finally(() => {
      const tookMs = this.#clock.monotonic() - begun;
      if (this.#maxAgeMs > 0) this.#freshUntil = begun + Math.max(this.#maxAgeMs, restPerWork * tookMs);
    });
    return this.#cached;
  }

  async #readAll(): Promise<TalliedStores> {
    const answers = await Promise.all([...this.#stores].map((store) => this.#tally(store)));
    const tallies = answers.filter((answer) => answer !== undefined);
    return { tallies, isUp: tallies.length === answers.length };
  }

  async #tally(store: RunStore): Promise<StoreTally | undefined> {
    return withTimeout<StoreTally | undefined>(
      async () => store.tally(),
      patienceMs,
      this.#clock,
      async () => undefined,
    ).catch(() => undefined);
  }
}
