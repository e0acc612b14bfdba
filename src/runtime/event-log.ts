import type { LifecycleEvent, RunEvent, StreamEvent } from '../ports/run-event.ts';
import type { JournalEntry } from '../ports/run-store.ts';
import { LazyEntry } from '../util/lazy-entry.ts';
import { driveOf } from './drive-of.ts';
import { LiveEvents, sizeOf } from './live-events.ts';
import { SaidEvents, toRunEvent } from './said-events.ts';

/** Live-only events that a consumer who does not read may pile up before they are dropped. */
const maxBacklog = 10_000;

/** The numbered events of a run, and whoever reads them. */
export class EventLog {
  readonly #now: () => number;
  readonly #events = new SaidEvents();
  readonly #live = new LiveEvents();
  readonly #consumers = new Set<Consumer>();
  /** Of the lease under which the run is driven. */
  epoch = 0;
  /** How much was said live under it. */
  #liveSize = 0;
  /** How many events the store has. */
  #stored: number;
  /** How many events each drive, that of the run and those of workflows inside its nodes, will say again that are stored already. */
  readonly #known = new Map<string, number>();
  #ended = false;

  constructor(now: () => number, stored: readonly RunEvent[] = []) {
    this.#now = now;
    for (const event of stored) this.#events.addWhole(event);
    this.#stored = stored.length;
    this.#count(stored);
  }

  /** The number of the last event. */
  get seq(): number {
    return this.#events.length;
  }

  emit(event: StreamEvent | LifecycleEvent, node?: string, at: number = this.#now()): void {
    const { length } = this.#events;
    if (event.type === 'token' || event.type === 'custom') {
      this.#liveSize += sizeOf(event);
      this.#tell({ ...toRunEvent(event, length, at, node), live: `${this.epoch}.${this.#liveSize}` });
    } else if (!this.#isKnown(event, node)) {
      this.#events.add(event, at, node);
      this.#live.heed(event, node);
      if (this.#consumers.size > 0) this.#tell(toRunEvent(event, length + 1, at, node));
    }
  }

  #tell(event: RunEvent): void {
    if (event.live !== undefined) this.#live.add(event);
    for (const consumer of this.#consumers) consumer.push(event);
  }

  #count(stored: readonly RunEvent[]): void {
    for (const event of stored) {
      if (event.type === 'run-migrated') this.#known.clear(); // what the former machine said, nobody says again
      const drive = speakerOf(event, event.node);
      if (drive !== undefined) this.#known.set(drive, (this.#known.get(drive) ?? 0) + 1);
    }
  }

  /** True for an event that is stored and said again. */
  #isKnown(event: StreamEvent | LifecycleEvent, node: string | undefined): boolean {
    if (this.#known.size === 0) return false;
    const drive = speakerOf(event, node);
    const left = drive === undefined ? undefined : this.#known.get(drive);
    if (drive === undefined || left === undefined) return false;
    if (left > 1) this.#known.set(drive, left - 1);
    else this.#known.delete(drive);
    return true;
  }

  /** Takes over events that were stored by another run, or said live by it. */
  adopt(events: readonly RunEvent[]): void {
    for (const event of events) {
      if (event.live === undefined) {
        this.#events.addWhole(event);
        this.#live.heed(event, event.node);
      }
      this.#tell(event);
    }
    this.#stored = this.#events.length;
    this.#count(events);
  }

  /** The events that are not stored yet; from now on they count as stored. */
  take(): readonly RunEvent[] {
    const from = this.#stored;
    this.#stored = this.#events.length;
    return this.#events.slice(from);
  }

  /** An entry with the events that are not stored yet; from now on they count as stored. */
  entry(head: Omit<JournalEntry, 'events'>): JournalEntry {
    const from = this.#stored;
    this.#stored = this.#events.length;
    return new LazyEntry(head, this.#events, from, this.#stored);
  }

  /** Every reader comes to its end. */
  end(): void {
    this.#ended = true;
    this.#live.heed({ type: 'step-reset' }); // of steps that have no end
    for (const consumer of this.#consumers) consumer.end();
  }

  /**
   * The events from number `from` on, and between them what nodes that are at work have said live, then all as they come, until the run has
   * ended or is suspended.
   */
  async *read(from: number): AsyncGenerator<RunEvent, void, undefined> {
    const said = this.#live.among(this.#events.slice(Math.max(0, from - 1)), from);
    const consumer = new Consumer(from, said, this.#live.untold);
    if (this.#ended) consumer.end();
    this.#consumers.add(consumer);
    try {
      yield* consumer.read();
    } finally {
      this.#consumers.delete(consumer);
    }
  }
}

/**
 * The node whose drive says an event again each time that it goes through the journal, `''` for the run's own; `undefined` for an event
 * that is said once. Each drive says its events in the same order. That of a node that is over is not there any more, and says nothing.
 */
function speakerOf(event: StreamEvent | LifecycleEvent, node = ''): string | undefined {
  switch (event.type) {
    case 'node-start':
      return driveOf(event.key);
    case 'interrupt':
      return driveOf(event.interrupt.key);
    case 'edge':
      return node;
    default:
      return undefined;
  }
}

class Consumer {
  readonly #from: number;
  /** Nodes whose beginning it has missed, and will not hear. */
  readonly #untold: LiveEvents['untold'];
  #backlog: RunEvent[];
  #ended = false;
  #wake: (() => void) | undefined;

  constructor(from: number, events: RunEvent[], untold: LiveEvents['untold']) {
    this.#from = from;
    this.#backlog = events;
    this.#untold = untold;
  }

  push(event: RunEvent): void {
    const { live, node = '', seq, type } = event;
    if (type === 'step-reset') node === '' ? this.#untold.clear() : this.#untold.delete(node);
    if (seq < this.#from || (live !== undefined && (this.#untold.has(node) || this.#backlog.length >= maxBacklog))) return;
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
