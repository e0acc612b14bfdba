import type { Clock } from '../ports/clock.ts';

export interface ActiveTimeOptions {
  readonly clock: Clock;
  /** What was counted before, in milliseconds. */
  readonly beforeMs: number;
  /** How much may be counted, in milliseconds. */
  readonly limitMs: number;
  /** Called once it is too much. */
  readonly exceeded: () => void;
}

/** The time for which a run has been at work: neither waiting nor sleeping counts. */
export class ActiveTime {
  readonly #options: ActiveTimeOptions;
  #countedMs: number;
  /** When it began to count, on the monotonic clock; `undefined` while it does not. */
  #since: number | undefined;
  #cancelLimit = (): void => {};

  constructor(options: ActiveTimeOptions) {
    this.#options = options;
    this.#countedMs = options.beforeMs;
  }

  /** In milliseconds. */
  get ms(): number {
    const { clock } = this.#options;
    const now = this.#since === undefined ? 0 : Math.max(0, clock.monotonic() - this.#since);
    return Math.round(this.#countedMs + now);
  }

  count(): void {
    const { clock, limitMs, exceeded } = this.#options;
    if (this.#since !== undefined) return;
    this.#since = clock.monotonic();
    if (limitMs === Number.POSITIVE_INFINITY) return;
    const remainingMs = limitMs - this.#countedMs;
    if (remainingMs > 0) this.#cancelLimit = clock.schedule(remainingMs, exceeded, { background: true });
    else exceeded();
  }

  pause(): void {
    if (this.#since === undefined) return;
    this.#countedMs += Math.max(0, this.#options.clock.monotonic() - this.#since);
    this.#since = undefined;
    this.#cancelLimit();
  }
}
