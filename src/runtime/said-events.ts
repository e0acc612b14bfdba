import type { LifecycleEvent, RunEvent, StreamEvent } from '../ports/run-event.ts';

type SaidEvent = StreamEvent | LifecycleEvent;

/** The numbered events of a run. What the runtime itself says is kept as it was said: its number is its place, and most are never read. */
export class SaidEvents {
  readonly #said: (SaidEvent | RunEvent)[] = [];
  /** When; `NaN` for an event that has all of it already. */
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

/** An event with its number, when it was said, and by which node. */
export const toRunEvent = (event: SaidEvent, seq: number, at: number, node: string | undefined): RunEvent =>
  node === undefined ? { ...event, seq, at } : { ...event, seq, at, node };
