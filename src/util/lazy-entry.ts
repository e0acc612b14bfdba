import type { Json } from '../ports/json.ts';
import type { RunEvent } from '../ports/run-event.ts';
import type { EntryKind, JournalEntry, RunStore } from '../ports/run-store.ts';

/** Events in another form. */
interface EventSource {
  slice(from: number, to: number): readonly RunEvent[];
}

/** An entry whose events are made when somebody reads them. Most never are, and they were most of what a run in memory left behind. */
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

  get events(): readonly RunEvent[] {
    return this.#events.slice(this.#from, this.#to);
  }
}

/** The entry as everybody else knows it: all of it is its own, so that it can be written as JSON, copied and cloned. */
export function plainEntry(entry: JournalEntry): JournalEntry {
  if (!(entry instanceof LazyEntry)) return entry;
  const { seq, key, kind, outcome, events, epoch, at } = entry;
  return { seq, key, kind, outcome, events, epoch, at };
}

/** Stores that keep entries as they are given them, and give them away as plain ones. */
export const lazyStores: WeakSet<RunStore> = new WeakSet<RunStore>();
