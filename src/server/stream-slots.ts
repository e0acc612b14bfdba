import { tooMany } from './refusal.ts';

/** How many streams may be open. */
export interface StreamLimits {
  /** @default 8 */
  readonly perTenant: number;
  /** @default 200 */
  readonly perProcess: number;
}

/** After how long it is worth to ask for a stream again, in milliseconds. */
const waitMs = 5_000;

/** Counts the streams that are open, and ends them all when the server closes. */
export class StreamSlots {
  readonly #limits: StreamLimits;
  readonly #open = new Map<AbortController, string>();

  constructor(limits: StreamLimits) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#open.size;
  }

  /** @throws {Refusal} 429. @returns what stops the stream; `release` it when it has ended. */
  take(tenant: string): AbortController {
    const own = [...this.#open.values()].filter((one) => one === tenant).length;
    if (own >= this.#limits.perTenant || this.#open.size >= this.#limits.perProcess) {
      throw tooMany('TOO_MANY_STREAMS', `There are ${own} streams of yours and ${this.#open.size} of all already.`, waitMs);
    }
    const stop = new AbortController();
    this.#open.set(stop, tenant);
    return stop;
  }

  release(stop: AbortController): void {
    this.#open.delete(stop);
  }

  closeAll(): void {
    for (const stop of [...this.#open.keys()]) stop.abort();
  }
}
