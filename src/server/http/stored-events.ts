import type { RunEvent } from '../../core/ports/run-event.ts';
import type { RunRecord, RunStore } from '../../core/ports/run-store.ts';

interface SharedRead {
  readonly events: Promise<readonly RunEvent[]>;
  readers: number;
}

/** Reads in progress of each store, by run and position. */
const openReads = new WeakMap<RunStore, Map<string, SharedRead>>();

/**
 * Yields the events of a resting run. Concurrent readers share one copy, and nothing else of the journal is held in memory, so 100 stalled
 * readers cost no more than one.
 */
export async function* storedEvents(
  store: RunStore,
  { id, seq, epoch }: Pick<RunRecord, 'id' | 'seq' | 'epoch'>,
  from: number,
): AsyncGenerator<RunEvent, void, undefined> {
  const known = openReads.get(store) ?? new Map<string, SharedRead>();
  openReads.set(store, known);
  const key = `${id} ${seq} ${epoch}`;
  const shared = known.get(key) ?? { events: eventsOf(store, id), readers: 0 };
  known.set(key, shared);
  shared.readers++;
  try {
    for (const event of await shared.events) if (event.seq >= from) yield event;
  } finally {
    if (--shared.readers === 0) known.delete(key);
  }
}

const eventsOf = async (store: RunStore, id: string): Promise<readonly RunEvent[]> =>
  (await store.journal(id)).flatMap(({ events }) => events);
