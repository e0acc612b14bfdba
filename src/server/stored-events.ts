import type { RunEvent } from '../ports/run-event.ts';
import type { RunRecord, RunStore } from '../ports/run-store.ts';

interface Shared {
  readonly events: Promise<readonly RunEvent[]>;
  readers: number;
}

/** What is being read of each store, by run and how far that had come. */
const beingRead = new WeakMap<RunStore, Map<string, Shared>>();

/**
 * The events of a run that rests. All who read them at the same time share one copy, and of the journal nothing else is held: a hundred
 * readers who take nothing cost no more than one.
 */
export async function* storedEvents(
  store: RunStore,
  { id, seq, epoch }: Pick<RunRecord, 'id' | 'seq' | 'epoch'>,
  from: number,
): AsyncGenerator<RunEvent, void, undefined> {
  const known = beingRead.get(store) ?? new Map<string, Shared>();
  beingRead.set(store, known);
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
