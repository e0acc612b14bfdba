import type { Clock } from '../../core/ports/clock.ts';

/** A rate limit: `perMinute` in the long run, `burst` at once. */
export interface Rate {
  readonly perMinute: number;
  readonly burst: number;
}

interface Bucket {
  tokens: number;
  at: number;
}

/** Maximum number of tracked names; beyond it, the least recently used one is dropped. */
const maxNames = 10_000;

export class RateLimiter {
  readonly #rate: Rate;
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #buckets = new Map<string, Bucket>();

  constructor(rate: Rate, clock: Pick<Clock, 'monotonic'>) {
    this.#rate = rate;
    this.#clock = clock;
  }

  /** Takes one token. @returns 0, or the number of milliseconds until a token is available; then none is taken. */
  take(name: string): number {
    const { perMinute, burst } = this.#rate;
    const now = this.#clock.monotonic();
    const bucket = this.#buckets.get(name) ?? { tokens: burst, at: now };
    bucket.tokens = Math.min(burst, bucket.tokens + ((now - bucket.at) * perMinute) / 60_000);
    bucket.at = now;
    this.#buckets.delete(name);
    if (this.#buckets.size >= maxNames) {
      const oldest = this.#buckets.keys().next().value;
      if (oldest !== undefined) this.#buckets.delete(oldest);
    }
    this.#buckets.set(name, bucket);
    if (bucket.tokens < 1) return ((1 - bucket.tokens) * 60_000) / perMinute;
    bucket.tokens--;
    return 0;
  }

  giveBack(name: string): void {
    const bucket = this.#buckets.get(name);
    if (bucket) bucket.tokens = Math.min(this.#rate.burst, bucket.tokens + 1);
  }
}
