import type { LifecycleEvent, RunEvent, StreamEvent } from '../../core/ports/run-event.ts';

type SaidEvent = StreamEvent | LifecycleEvent;

/** Numbered events of a run. Events of the runtime itself are stored without a copy: the index is the number, and most are never read. */
export class EmittedEvents {
  readonly #said: (SaidEvent | RunEvent)[] = [];
  /** Times of the events. `NaN` for an event that already contains its time. */
  readonly #at: number[] = [];

  get length(): number {
    return this.#said.length;
  }

  add(event: SaidEvent, at: number, node: string | undefined): void {
    this.#said.push(node === undefined ? event : toRunEvent(event, this.length + 1, at, node));
    this.#at.push(node === undefined ? at : Number.NaN);
  }

  addWhole(event: RunEvent): void {
    this.#said.push(event);
    this.#at.push(Number.NaN);
  }

  slice(from: number, to?: number): RunEvent[] {
    return this.#said.slice(from, to).map((said, index) => {
      const at = this.#at[from + index] ?? 0;
      return Number.isNaN(at) ? (said as RunEvent) : toRunEvent(said, from + index + 1, at, undefined);
    });
  }
}

/** Adds the number, the time and the emitting node to an event. */
export const toRunEvent = (event: SaidEvent, seq: number, at: number, node: string | undefined): RunEvent =>
  node === undefined ? { ...event, seq, at } : { ...event, seq, at, node };
