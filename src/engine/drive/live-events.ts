import type { LifecycleEvent, RunEvent, StoredRunEnd, StreamEvent } from '../../core/ports/run-event.ts';

/** Approximate maximum size of the live events kept per visit of a node, in bytes. A visit that exceeds it keeps none. */
const maxBytes = 2 ** 22;

/** Size of an event apart from its text, in bytes. */
const eventBytes = 64;

/** Live events of the nodes at work, which are in no journal, for consumers that join late. */
export class LiveEvents {
  #events: RunEvent[] = [];
  readonly #bytes = new Map<string, number>();

  /** Keeps an event. Consecutive tokens are merged into one. */
  add(event: RunEvent): void {
    const { node = '', seq } = event;
    const bytes = (this.#bytes.get(node) ?? 0) + eventBytes + sizeOf(event);
    this.#bytes.set(node, bytes);
    const last = this.#events.at(-1);
    if (bytes > maxBytes) this.#events = this.#events.filter((one) => one.node !== event.node);
    else if (event.type === 'token' && last?.type === 'token' && last.node === event.node && last.seq === seq)
      this.#events.splice(-1, 1, { ...event, at: last.at, text: last.text + event.text });
    else this.#events.push(event);
  }

  /**
   * Drops the live events of a node, or of all nodes, after `node-end` and `step-reset`. The outcome is then in the journal, or the node
   * begins again.
   */
  dropEnded(event: StreamEvent | LifecycleEvent | StoredRunEnd, node?: string): void {
    if (event.type !== 'node-end' && event.type !== 'step-reset') return;
    const key = 'key' in event ? event.key : node;
    const isOver = (other = ''): boolean => key === undefined || other === key || other.startsWith(`${key}/`);
    this.#events = this.#events.filter((one) => !isOver(one.node));
    for (const other of this.#bytes.keys()) if (isOver(other)) this.#bytes.delete(other);
  }

  /** Merges the live events from number `from` on into `events`, in the order in which they were emitted. */
  among(events: RunEvent[], from: number): RunEvent[] {
    return [...events, ...this.#events.filter(({ seq }) => seq >= from)].sort((a, b) => a.seq - b.seq);
  }

  /** Nodes that have emitted more than is kept. A late consumer gets none of their live events, rather than a part. */
  get incomplete(): Set<string> {
    return new Set([...this.#bytes.keys()].filter((node) => (this.#bytes.get(node) ?? 0) > maxBytes));
  }
}

/** Size that an event adds to the live events. */
export const sizeOf = (event: StreamEvent | RunEvent): number =>
  event.type === 'token' ? event.text.length : JSON.stringify(event).length;
