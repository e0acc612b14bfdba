import type { Clock } from '../../core/ports/clock.ts';

export interface ActiveTimeOptions {
  readonly clock: Clock;
  /** Active time of earlier drives, in milliseconds. */
  readonly beforeMs: number;
  /** Limit of the active time, in milliseconds. */
  readonly limitMs: number;
  /** Called once the limit is exceeded. */
  readonly exceeded: () => void;
}

/** Active time of a run. Waiting and sleeping do not count. */
export class ActiveTime {
  readonly #options: ActiveTimeOptions;
  #countedMs: number;
  /** Monotonic time at which counting started. `undefined` while nothing is counted. */
  #since: number | undefined;
  #cancelLimit = (): void => {};

  constructor(options: ActiveTimeOptions) {
    this.#options = options;
    this.#countedMs = options.beforeMs;
  }

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
