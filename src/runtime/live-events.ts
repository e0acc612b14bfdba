import type { LifecycleEvent, RunEvent, StreamEvent } from '../ports/run-event.ts';

/** How much of what one visit of a node says live is kept, in bytes, roughly. Nothing is kept of a visit that says more. */
const maxBytes = 2 ** 22;

/** What an event costs beside its text. */
const eventBytes = 64;

/** What the nodes at work have said that is in no journal, for whoever comes in the middle of it. */
export class LiveEvents {
  #kept: RunEvent[] = [];
  readonly #bytes = new Map<string, number>();

  /** Keeps an event. Tokens that follow each other become one. */
  add(event: RunEvent): void {
    const { node = '', seq } = event;
    const bytes = (this.#bytes.get(node) ?? 0) + eventBytes + sizeOf(event);
    this.#bytes.set(node, bytes);
    const last = this.#kept.at(-1);
    if (bytes > maxBytes) this.#kept = this.#kept.filter((one) => one.node !== event.node);
    else if (event.type === 'token' && last?.type === 'token' && last.node === event.node && last.seq === seq)
      this.#kept.splice(-1, 1, { ...event, at: last.at, text: last.text + event.text });
    else this.#kept.push(event);
  }

  /** After some events there is nothing more to tell of a node, or of all: its outcome is in the journal, or it begins again. */
  heed(event: StreamEvent | LifecycleEvent, node?: string): void {
    if (event.type !== 'node-end' && event.type !== 'step-reset') return;
    const key = 'key' in event ? event.key : node;
    const isOver = (other = ''): boolean => key === undefined || other === key || other.startsWith(`${key}/`);
    this.#kept = this.#kept.filter((one) => !isOver(one.node));
    for (const other of this.#bytes.keys()) if (isOver(other)) this.#bytes.delete(other);
  }

  /** `events`, and among them, where they were said, the live ones from number `from` on. */
  among(events: RunEvent[], from: number): RunEvent[] {
    return [...events, ...this.#kept.filter(({ seq }) => seq >= from)].sort((a, b) => a.seq - b.seq);
  }

  /** The nodes that have said more than is kept: whoever comes now is told nothing of them, rather than a part. */
  get untold(): Set<string> {
    return new Set([...this.#bytes.keys()].filter((node) => (this.#bytes.get(node) ?? 0) > maxBytes));
  }
}

/** By how much what is said live grows with an event. */
export const sizeOf = (event: StreamEvent | RunEvent): number =>
  event.type === 'token' ? event.text.length : JSON.stringify(event).length;
