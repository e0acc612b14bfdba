import type { Clock } from '../../core/ports/clock.ts';
import type { Awaitable } from '../../core/ports/run-store.ts';

/** Validity of a sample, and pause after a failed one, in milliseconds. */
const sampleMs = 30_000;
const failedMs = 5_000;
/** Round trips per sample. The shortest one is the most accurate. */
const trips = 5;
/**
 * Minimum drift between wall clock and monotonic clock that forces a new sample, in milliseconds. Such a drift means that the clock was
 * set, or the machine has slept.
 */
const jumpMs = 1_000;

interface Trip {
  readonly tookMs: number;
  /** The store's time at 0 of the monotonic clock, in milliseconds since 1970. */
  readonly offsetMs: number;
}

/**
 * Wall clock of a store that several machines share, so that a timer is due at the same moment for all of them. Between two samples it
 * follows the monotonic clock. Its error is at most half of the shortest round trip.
 */
export class StoreClock implements Clock {
  readonly #clock: Clock;
  readonly #ask: () => Awaitable<number>;
  #offsetMs: number | undefined;
  #driftMs = 0;
  #nextAt = Number.NEGATIVE_INFINITY;
  #first: Promise<void> | undefined;

  /** @param ask returns the store's time, in milliseconds since 1970. */
  constructor(clock: Clock, ask: () => Awaitable<number>) {
    this.#clock = clock;
    this.#ask = ask;
  }

  /** Settles when the store's time is known, or the store is unavailable. `undefined` once the time is known. */
  ready(): Promise<void> | undefined {
    if (this.#offsetMs !== undefined) return undefined;
    this.#sampleWhenDue();
    return this.#first;
  }

  /** Returns the machine's time until the store's time is known. */
  now(): number {
    this.#sampleWhenDue();
    return this.#offsetMs === undefined ? this.#clock.now() : Math.round(this.#offsetMs + this.#clock.monotonic());
  }

  monotonic(): number {
    return this.#clock.monotonic();
  }

  schedule(...given: Parameters<Clock['schedule']>): () => void {
    return this.#clock.schedule(...given);
  }

  #drift(): number {
    return this.#clock.now() - this.#clock.monotonic();
  }

  #sampleWhenDue(): void {
    const at = this.#clock.monotonic();
    if (at < this.#nextAt && Math.abs(this.#drift() - this.#driftMs) < jumpMs) return;
    this.#nextAt = at + sampleMs;
    this.#driftMs = this.#drift();
    const firstSample = Promise.withResolvers<void>();
    this.#first = firstSample.promise;
    void this.#sample(firstSample.resolve);
  }

  /** Never rejects. */
  async #sample(onFirst: () => void): Promise<void> {
    try {
      let best = await this.#trip();
      this.#offsetMs ??= best.offsetMs;
      onFirst();
      for (let trip = 1; trip < trips; trip++) {
        const next = await this.#trip();
        if (next.tookMs < best.tookMs) best = next;
      }
      this.#offsetMs = best.offsetMs;
    } catch {
      this.#nextAt = this.#clock.monotonic() + failedMs;
    } finally {
      onFirst();
    }
  }

  async #trip(): Promise<Trip> {
    const from = this.#clock.monotonic();
    const now = await this.#ask();
    const to = this.#clock.monotonic();
    return { tookMs: to - from, offsetMs: now - (from + to) / 2 };
  }
}

/** Waits for the first sample of a `StoreClock`. */
export const clockReady = (clock: Clock): Promise<void> | undefined => (clock instanceof StoreClock ? clock.ready() : undefined);
