import type { RunEvent, StoredEvent } from '../../core/ports/run-event.ts';
import type { JournalEntry } from '../../core/ports/run-store.ts';
import { LazyEntry } from '../../core/util/lazy-entry.ts';
import { type PushedIterable, Pusher, type SourceReader, type Subscription } from '../../core/util/source.ts';
import { driveOf } from '../drive/drive-of.ts';
import { bytesOf, LiveEvents, maxBytes, merge, sizeOf } from '../drive/live-events.ts';
import { toPublicEvent } from '../drive/to-public-event.ts';
import { type EmittedEvent, EmittedEvents, toStoredEvent } from './emitted-events.ts';

/** Number of waiting events from which consecutive tokens are merged. */
const maxBacklog = 10_000;

/**
 * Maximum size of the live events that wait for a consumer that does not read, in bytes. Larger than what is kept of a node, so that a
 * reader that loses a node here gets none of its live events when it reconnects either.
 */
const maxWaitingBytes = 4 * maxBytes;

/** The numbered events of a run, and their consumers. */
export class EventLog {
  readonly #now: () => number;
  readonly #events = new EmittedEvents();
  readonly #live = new LiveEvents();
  readonly #consumers = new Set<Consumer>();
  /** Epoch of the lease under which the run is driven. */
  epoch = 0;
  /** Total size of the live events emitted under this lease, see `sizeOf`. */
  #liveSize = 0;
  /** Number of events in the store. */
  #stored: number;
  /**
   * Number of stored events that each drive will emit again during its replay. Drives are the run's own and those of workflows inside
   * nodes.
   */
  readonly #known = new Map<string, number>();
  #ended = false;

  constructor(now: () => number, stored: readonly StoredEvent[] = []) {
    this.#now = now;
    for (const event of stored) this.#events.addWhole(event);
    this.#stored = stored.length;
    this.#count(stored);
  }

  /** Number of the last event. */
  get seq(): number {
    return this.#events.length;
  }

  emit(event: EmittedEvent, node?: string, at: number = this.#now()): void {
    const { length } = this.#events;
    if (event.type === 'token' || event.type === 'custom') {
      this.#liveSize += sizeOf(event);
      this.#tell({ ...toStoredEvent(event, length, at, node), live: `${this.epoch}.${this.#liveSize}` });
    } else if (!this.#isKnown(event, node)) {
      this.#events.add(event, at, node);
      this.#live.dropEnded(event, node);
      if (event.type === 'node-patched') this.#takeBack(event.told);
      if (this.#consumers.size > 0) this.#tell(toStoredEvent(event, length + 1, at, node));
    }
  }

  #tell(stored: StoredEvent): void {
    const event = toPublicEvent(stored);
    if (event.live !== undefined) this.#live.add(event);
    for (const consumer of this.#consumers) consumer.push(event);
  }

  #count(stored: readonly StoredEvent[]): void {
    for (const event of stored) {
      if (event.type === 'run-migrated') this.#known.clear(); // events of the former machine are not emitted again
      if (event.type === 'node-patched') this.#takeBack(event.told);
      const drive = speakerOf(event, event.node);
      if (drive !== undefined) this.#known.set(drive, (this.#known.get(drive) ?? 0) + 1);
    }
  }

  /** Expects only the first of the run's own events again. After those the machine takes the replaced result. */
  #takeBack(told: number): void {
    if (told > 0) this.#known.set('', told);
    else this.#known.delete('');
  }

  /** True for a stored event that is emitted again. */
  #isKnown(event: EmittedEvent, node: string | undefined): boolean {
    if (this.#known.size === 0) return false;
    const drive = speakerOf(event, node);
    const left = drive === undefined ? undefined : this.#known.get(drive);
    if (drive === undefined || left === undefined) return false;
    if (left > 1) this.#known.set(drive, left - 1);
    else this.#known.delete(drive);
    return true;
  }

  /** Adopts events that another run has stored, or has emitted live. */
  adopt(events: readonly StoredEvent[]): void {
    for (const event of events) {
      if (event.live === undefined) {
        this.#events.addWhole(event);
        this.#live.dropEnded(event, event.node);
      }
      this.#tell(event);
    }
    this.#stored = this.#events.length;
    this.#count(events);
  }

  /** Returns the events that are not stored yet, and marks them as stored. */
  take(): readonly StoredEvent[] {
    const from = this.#stored;
    this.#stored = this.#events.length;
    return this.#events.slice(from);
  }

  /** Makes an entry of the events that are not stored yet, and marks them as stored. */
  entry(head: Omit<JournalEntry, 'events'>): JournalEntry {
    const from = this.#stored;
    this.#stored = this.#events.length;
    return new LazyEntry(head, this.#events, from, this.#stored);
  }

  /** Ends the log for every consumer. */
  end(): void {
    this.#ended = true;
    this.#live.dropEnded({ type: 'step-reset' }); // steps that will have no end
    for (const consumer of this.#consumers) consumer.end();
  }

  /**
   * Returns the events from number `from` on, in order with the live events of nodes at work, then new events until the run has ended or is
   * suspended.
   */
  read(from: number): PushedIterable<RunEvent> {
    return {
      [Symbol.asyncIterator]: () => this.#iterate(from),
      subscribe: (reader) => {
        const consumer = this.#consumer(from);
        return consumer.attach(reader, () => this.#consumers.delete(consumer));
      },
    };
  }

  async *#iterate(from: number): AsyncGenerator<RunEvent, void, undefined> {
    const consumer = this.#consumer(from);
    try {
      yield* consumer.read();
    } finally {
      this.#consumers.delete(consumer);
    }
  }

  #consumer(from: number): Consumer {
    const events = this.#live.among(this.#events.slice(Math.max(0, from - 1)).map(toPublicEvent), from);
    const consumer = new Consumer(from, events, this.#live.incomplete);
    if (this.#ended) consumer.end();
    this.#consumers.add(consumer);
    return consumer;
  }
}

/**
 * Returns the drive that emits an event again at each replay, by its node, or `''` for the run's own drive. Returns `undefined` for an
 * event that is emitted once. Each drive emits its events in the same order. The drive of a node that has ended no longer exists and emits
 * nothing.
 */
export function speakerOf(event: EmittedEvent, node = ''): string | undefined {
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
  /** Nodes with live events that this consumer has missed. Their later live events are skipped. */
  readonly #incomplete: LiveEvents['incomplete'];
  #backlog: RunEvent[];
  /** Size of the waiting live events, in bytes. */
  #waitingBytes = 0;
  /** True while the reader is at work on what it has taken. Only then live events are dropped. */
  #isHeld: () => boolean = () => false;
  #ended = false;
  #wake: (() => void) | undefined;

  constructor(from: number, events: RunEvent[], incomplete: LiveEvents['incomplete']) {
    this.#from = from;
    this.#backlog = events;
    this.#incomplete = incomplete;
  }

  push(event: RunEvent): void {
    const { live, node = '', seq, type } = event;
    if (type === 'step-reset') this.#begin(node);
    if (seq < this.#from || (live !== undefined && !this.#hasRoom(event, node))) return;
    const merged = this.#backlog.length < maxBacklog ? undefined : merge(this.#backlog.at(-1), event);
    if (merged) this.#backlog.splice(-1, 1, merged);
    else this.#backlog.push(event);
    this.#wake?.();
  }

  #begin(node: string): void {
    if (node === '') this.#incomplete.clear();
    else this.#incomplete.delete(node);
  }

  /** Counts a live event. False for one that is skipped, as are all later ones of its node. */
  #hasRoom(event: RunEvent, node: string): boolean {
    if (this.#incomplete.has(node)) return false;
    const added = bytesOf(event);
    if (this.#waitingBytes + added > maxWaitingBytes && this.#isHeld()) {
      this.#incomplete.add(node);
      return false;
    }
    this.#waitingBytes += added;
    return true;
  }

  #take(): readonly RunEvent[] {
    const events = this.#backlog;
    this.#backlog = [];
    this.#waitingBytes = 0;
    return events;
  }

  end(): void {
    this.#ended = true;
    this.#wake?.();
  }

  async *read(): AsyncGenerator<RunEvent, void, undefined> {
    let isWaiting = false;
    this.#isHeld = () => !isWaiting;
    for (;;) {
      yield* this.#take();
      if (this.#backlog.length > 0) continue;
      if (this.#ended) return;
      isWaiting = true;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      isWaiting = false;
    }
  }

  /** Tells a reader of the backlog and of what is pushed. */
  attach(reader: SourceReader<RunEvent>, onStop: () => void): Subscription {
    const take = (): readonly RunEvent[] => this.#take();
    const pusher = new Pusher({ reader, take, isOver: () => this.#ended && this.#backlog.length === 0, onStop });
    this.#isHeld = () => pusher.isHeld;
    this.#wake = () => pusher.wake();
    return pusher;
  }
}
