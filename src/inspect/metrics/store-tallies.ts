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

/** Counts of several stores, cached for a few seconds, because a tally reads an index of all runs. */
export class StoreTallies {
  readonly #stores = new Set<RunStore>();
  readonly #clock: Clock;
  readonly #maxAgeMs: number;
  #cached: Promise<TalliedStores> | undefined;
  #readAt = 0;

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
    const now = this.#clock.monotonic();
    if (this.#cached && now - this.#readAt < this.#maxAgeMs) return this.#cached;
    this.#readAt = now;
    this.#cached = this.#readAll();
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
