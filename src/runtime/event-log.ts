import type { LifecycleEvent, RunEvent, StreamEvent } from '../ports/run-event.ts';

/** Live-only events that a consumer who does not read may pile up before they are dropped. */
const maxBacklog = 10_000;

/** The numbered events of a run, and whoever reads them. */
export class EventLog {
  readonly #now: () => number;
  readonly #events: RunEvent[];
  readonly #consumers = new Set<Consumer>();
  /** How many events the store has. */
  #stored: number;
  /** Events that a resumed driver will say again and that are stored already. */
  #known: number;
  #ended = false;

  constructor(now: () => number, stored: readonly RunEvent[] = []) {
    this.#now = now;
    this.#events = [...stored];
    this.#stored = stored.length;
    this.#known = stored.filter(({ type }) => isRepeated(type)).length;
  }

  /** The number of the last event. */
  get seq(): number {
    return this.#events.length;
  }

  emit(event: StreamEvent | LifecycleEvent, node?: string): void {
    const live = event.type === 'token' || event.type === 'custom';
    if (!live && this.#known > 0 && isRepeated(event.type)) {
      this.#known--;
      return;
    }
    const seq = live ? this.#events.length : this.#events.length + 1;
    const entry: RunEvent = node === undefined ? { ...event, seq, at: this.#now() } : { ...event, seq, at: this.#now(), node };
    if (!live) this.#events.push(entry);
    for (const consumer of this.#consumers) consumer.push(entry, live);
  }

  /** Takes over events that were stored by another run. */
  adopt(events: readonly RunEvent[]): void {
    this.#events.push(...events);
    this.#stored = this.#events.length;
    this.#known += events.filter(({ type }) => isRepeated(type)).length;
    for (const consumer of this.#consumers) for (const event of events) consumer.push(event, false);
  }

  /** The events that are not stored yet; from now on they count as stored. */
  take(): readonly RunEvent[] {
    if (this.#stored === this.#events.length) return none;
    const events = this.#events.slice(this.#stored);
    this.#stored = this.#events.length;
    return events;
  }

  /** Every reader comes to its end. */
  end(): void {
    this.#ended = true;
    for (const consumer of this.#consumers) consumer.end();
  }

  /** The events from number `from` on, then the live ones as they come, until the run is put down. */
  async *read(from: number): AsyncGenerator<RunEvent, void, undefined> {
    const consumer = new Consumer(from, this.#events.slice(Math.max(0, from - 1)));
    if (this.#ended) consumer.end();
    this.#consumers.add(consumer);
    try {
      yield* consumer.read();
    } finally {
      this.#consumers.delete(consumer);
    }
  }
}

const none: readonly RunEvent[] = [];

/** What the driver says again, in the same order, each time that it goes through the journal. */
const isRepeated = (type: RunEvent['type']): boolean => type === 'node-start' || type === 'edge' || type === 'interrupt';

class Consumer {
  readonly #from: number;
  #backlog: RunEvent[];
  #ended = false;
  #wake: (() => void) | undefined;

  constructor(from: number, events: RunEvent[]) {
    this.#from = from;
    this.#backlog = events;
  }

  push(event: RunEvent, live: boolean): void {
    if (event.seq < this.#from || (live && this.#backlog.length >= maxBacklog)) return;
    this.#backlog.push(event);
    this.#wake?.();
  }

  end(): void {
    this.#ended = true;
    this.#wake?.();
  }

  async *read(): AsyncGenerator<RunEvent, void, undefined> {
    for (;;) {
      const events = this.#backlog;
      this.#backlog = [];
      yield* events;
      if (this.#backlog.length > 0) continue;
      if (this.#ended) return;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}
