import type { Clock } from '../ports/clock.ts';
import type { Awaitable } from '../ports/run-store.ts';

/** How long a sample serves, and how long a failed one is not repeated, in milliseconds. */
const sampleMs = 30_000;
const failedMs = 5_000;
/** Round trips of a sample: the shortest one tells most. */
const trips = 5;
/** A wall clock that has moved so far against the monotonic one, in milliseconds: it was set, or the machine has slept. */
const jumpMs = 1_000;

interface Trip {
  readonly tookMs: number;
  /** The store's time when the monotonic clock shows 0, in milliseconds since 1970. */
  readonly offsetMs: number;
}

/**
 * The wall clock of a store that several machines share, so that a timer is due at one moment for all of them. Between two samples the time
 * goes on by the monotonic clock. It is off by half of the shortest round trip at most.
 */
export class StoreClock implements Clock {
  readonly #clock: Clock;
  readonly #ask: () => Awaitable<number>;
  #offsetMs: number | undefined;
  #driftMs = 0;
  #nextAt = Number.NEGATIVE_INFINITY;
  #first: Promise<void> | undefined;

  /** @param ask the store's time, in milliseconds since 1970. */
  constructor(clock: Clock, ask: () => Awaitable<number>) {
    this.#clock = clock;
    this.#ask = ask;
  }

  /** Settles when the store has said its time, or cannot be asked; `undefined` once it has. */
  ready(): Promise<void> | undefined {
    if (this.#offsetMs !== undefined) return undefined;
    this.#sampleWhenDue();
    return this.#first;
  }

  /** The machine's time while the store's is not known. */
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
    const asked = Promise.withResolvers<void>();
    this.#first = asked.promise;
    void this.#sample(asked.resolve);
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

/** Waits for a clock that has to ask a store first. */
export const clockReady = (clock: Clock): Promise<void> | undefined => (clock instanceof StoreClock ? clock.ready() : undefined);
