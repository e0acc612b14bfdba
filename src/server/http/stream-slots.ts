import { tooMany } from './refusal.ts';

export interface StreamLimits {
  /** Maximum number of event streams per tenant. @default 8 */
  readonly perTenant: number;
  /** Maximum number of streams of all tenants together. @default 200 */
  readonly perProcess: number;
  /** Maximum number of a tenant's concurrent protocol requests, streaming or not. @default 32 */
  readonly ofProtocols?: number;
}

interface Holder {
  readonly tenant: string;
  readonly use: 'events' | 'protocol';
}

/** Suggested wait before another attempt to open a stream, in milliseconds. */
const waitMs = 5_000;

/** Counts open streams and ends them all when the server closes. */
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

  sizeOf(tenant: string): number {
    return [...this.#open.values()].filter((one) => one.tenant === tenant).length;
  }

  /** True once the server closes; a later disconnect is ours, not the client's. */
  get closed(): boolean {
    return this.#closed;
  }

  /** @throws {Refusal} 429. @returns the controller that stops the stream; `release` it when the stream has ended. */
  take(tenant: string, use: Holder['use'] = 'events'): AbortController {
    const own = [...this.#open.values()].filter((one) => one.tenant === tenant && one.use === use).length;
    const most = use === 'events' ? this.#limits.perTenant : this.#limits.ofProtocols;
    if (own >= most || this.#open.size >= this.#limits.perProcess) {
      throw tooMany('TOO_MANY_STREAMS', `There are already ${own} streams of this tenant and ${this.#open.size} in all.`, waitMs);
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
