import type { Json } from '../ports/json.ts';
import type { StoredEvent } from '../ports/run-event.ts';
import type { EntryKind, JournalEntry, RunStore } from '../ports/run-store.ts';

/** Events in a compact form. */
interface EventSource {
  slice(from: number, to: number): readonly StoredEvent[];
}

/** An entry that creates its events on access. Most are never read, and they were most of the memory of a run. */
export class LazyEntry implements JournalEntry {
  readonly seq: number;
  readonly key: string;
  readonly kind: EntryKind;
  readonly outcome: Json;
  readonly epoch: number;
  readonly at: number;
  readonly #events: EventSource;
  readonly #from: number;
  readonly #to: number;

  constructor({ seq, key, kind, outcome, epoch, at }: Omit<JournalEntry, 'events'>, events: EventSource, from: number, to: number) {
    this.seq = seq;
    this.key = key;
    this.kind = kind;
    this.outcome = outcome;
    this.epoch = epoch;
    this.at = at;
    this.#events = events;
    this.#from = from;
    this.#to = to;
  }

  get events(): readonly StoredEvent[] {
    return this.#events.slice(this.#from, this.#to);
  }
}

/** Copies an entry to a plain object that can be serialized and cloned. */
export function plainEntry(entry: JournalEntry): JournalEntry {
  if (!(entry instanceof LazyEntry)) return entry;
  const { seq, key, kind, outcome, events, epoch, at } = entry;
  return { seq, key, kind, outcome, events, epoch, at };
}

/** Stores that hold lazy entries and return plain ones. */
export const lazyStores: WeakSet<RunStore> = new WeakSet<RunStore>();
