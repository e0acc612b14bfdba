import type { LifecycleEvent, RunEvent, StoredRunEnd, StreamEvent } from '../../core/ports/run-event.ts';

/** Approximate maximum size of the live events kept per visit of a node, in bytes. A visit that exceeds it keeps none. */
export const maxBytes: number = 2 ** 22;

/** Size of an event apart from its text, in bytes. */
const eventBytes = 64;

/** Live events of the nodes at work, which are in no journal, for consumers that join late. */
export class LiveEvents {
  #events: RunEvent[] = [];
  readonly #bytes = new Map<string, number>();

  /** Keeps an event. Consecutive tokens are merged into one. */
  add(event: RunEvent): void {
    const { node = '' } = event;
    const bytes = (this.#bytes.get(node) ?? 0) + bytesOf(event);
    this.#bytes.set(node, bytes);
    if (bytes > maxBytes) this.#events = this.#events.filter((one) => one.node !== event.node);
    else {
      const merged = merge(this.#events.at(-1), event);
      if (merged) this.#events.splice(-1, 1, merged);
      else this.#events.push(event);
    }
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

/** Returns one token for two that follow each other in the live output, and `undefined` for other events. */
export function merge(last: RunEvent | undefined, event: RunEvent): RunEvent | undefined {
  if (event.type !== 'token' || last?.type !== 'token' || last.node !== event.node || last.seq !== event.seq) return undefined;
  // a reader that resumes from a position counts back from the end of the text
  if (sizeAt(event) - sizeAt(last) !== event.text.length) return undefined;
  return { ...event, at: last.at, text: last.text + event.text };
}

const sizeAt = ({ live = '' }: RunEvent): number => Number(live.slice(live.indexOf('.') + 1));

/** Approximate memory of an event, in bytes. */
export const bytesOf = (event: RunEvent): number => eventBytes + sizeOf(event);

/** Size that an event adds to the live events. */
export const sizeOf = (event: StreamEvent | RunEvent): number =>
  event.type === 'token' ? event.text.length : JSON.stringify(event).length;
