import { tooMany } from './refusal.ts';

/** How many streams may be open. */
export interface StreamLimits {
  /** Streams of events. @default 8 */
  readonly perTenant: number;
  /** All together. @default 200 */
  readonly perProcess: number;
  /** Requests of a tenant that a protocol answers at the time, streams or not. @default 32 */
  readonly ofProtocols?: number;
}

/** Who has a stream open, and what sort of one it is. */
interface Holder {
  readonly tenant: string;
  readonly use: 'events' | 'protocol';
}

/** After how long it is worth to ask for a stream again, in milliseconds. */
const waitMs = 5_000;

/** Counts the streams that are open, and ends them all when the server closes. */
export class StreamSlots {
  readonly #limits: Required<StreamLimits>;
  readonly #open = new Map<AbortController, Holder>();
  #closed = false;

  constructor({ perTenant, perProcess, ofProtocols = 32 }: StreamLimits) {
    this.#limits = { perTenant, perProcess, ofProtocols };
  }

  get size(): number {
    return this.#open.size;
  }

  /** Whoever is cut off now has not gone away by himself. */
  get closed(): boolean {
    return this.#closed;
  }

  /** @throws {Refusal} 429. @returns what stops the stream; `release` it when it has ended. */
  take(tenant: string, use: Holder['use'] = 'events'): AbortController {
    const own = [...this.#open.values()].filter((one) => one.tenant === tenant && one.use === use).length;
    const most = use === 'events' ? this.#limits.perTenant : this.#limits.ofProtocols;
    if (own >= most || this.#open.size >= this.#limits.perProcess) {
      throw tooMany('TOO_MANY_STREAMS', `There are ${own} streams of yours and ${this.#open.size} of all already.`, waitMs);
    }
    const stop = new AbortController();
    this.#open.set(stop, { tenant, use });
    return stop;
  }

  release(stop: AbortController): void {
    this.#open.delete(stop);
  }

  closeAll(): void {
    this.#closed = true;
    for (const stop of [...this.#open.keys()]) stop.abort();
  }
}
