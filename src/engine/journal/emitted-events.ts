import type { LifecycleEvent, StoredEvent, StoredRunEnd, StreamEvent } from '../../core/ports/run-event.ts';

/** An event before it is numbered. */
export type EmittedEvent = StreamEvent | LifecycleEvent | StoredRunEnd;

/** Numbered events of a run. Events of the runtime itself are stored without a copy: the index is the number, and most are never read. */
export class EmittedEvents {
  readonly #events: (EmittedEvent | StoredEvent)[] = [];
  /** Times of the events. `NaN` for an event that already contains its time. */
  readonly #at: number[] = [];

  get length(): number {
    return this.#events.length;
  }

  add(event: EmittedEvent, at: number, node: string | undefined): void {
    this.#events.push(node === undefined ? event : toStoredEvent(event, this.length + 1, at, node));
    this.#at.push(node === undefined ? at : Number.NaN);
  }

  addWhole(event: StoredEvent): void {
    this.#events.push(event);
    this.#at.push(Number.NaN);
  }

  slice(from: number, to?: number): StoredEvent[] {
    return this.#events.slice(from, to).map((event, index) => {
      const at = this.#at[from + index] ?? 0;
      return Number.isNaN(at) ? (event as StoredEvent) : toStoredEvent(event, from + index + 1, at, undefined);
    });
  }
}

/** Adds the number, the time and the emitting node to an event. */
export const toStoredEvent = (event: EmittedEvent, seq: number, at: number, node: string | undefined): StoredEvent =>
  node === undefined ? { ...event, seq, at } : { ...event, seq, at, node };
