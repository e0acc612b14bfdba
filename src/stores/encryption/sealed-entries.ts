import type { StoredEvent } from '../../core/ports/run-event.ts';
import type { JournalEntry } from '../../core/ports/run-store.ts';
import { isObject } from '../../core/util/is-object.ts';
import { isSealed, type KeyRing, type ValuePlace } from '../../core/util/key-ring.ts';
import { journalCorrupt, threadCorrupt } from '../../engine/store/store-errors.ts';
import { isSealedValue } from '../../engine/store/store-key.ts';

const placeOf = (runId: string, { seq, kind, key }: JournalEntry): ValuePlace => ['entry', runId, seq, kind, key];

/** Encrypts outcome and events of an entry together. */
export async function sealEntry(ring: KeyRing, runId: string, entry: JournalEntry): Promise<JournalEntry> {
  const { seq, key, kind, outcome, events, epoch, at } = entry;
  const $enc = await ring.sealJson(placeOf(runId, entry), [outcome, events]);
  return { seq, key, kind, outcome: { $enc }, events: [], epoch, at };
}

/**
 * @param acceptsClear true while a store is being encrypted.
 * @throws {WorkflowError} `STORE_KEY_INVALID`; `JOURNAL_CORRUPT` for a changed or moved entry, and for one in clear text.
 */
async function openEntry(ring: KeyRing, runId: string, entry: JournalEntry, acceptsClear: boolean): Promise<JournalEntry> {
  const { outcome } = entry;
  if (!isSealedValue(outcome)) {
    if (acceptsClear || isCancellation(entry)) return entry;
    throw journalCorrupt(runId, entry.seq, 'is not encrypted');
  }
  const opened = await ring.openJson(placeOf(runId, entry), outcome.$enc);
  if (!Array.isArray(opened) || !Array.isArray(opened[1])) throw journalCorrupt(runId, entry.seq, 'has no list of events');
  const [value = null, events] = opened;
  return { ...entry, outcome: value, events: events as readonly unknown[] as readonly StoredEvent[] };
}

/** Decrypts a journal. Entries that were copied by a fork belong to the new run. */
export const openEntries = (
  ring: KeyRing,
  runId: string,
  entries: readonly JournalEntry[],
  acceptsClear: boolean,
): Promise<JournalEntry[]> => Promise.all(entries.map((entry) => openEntry(ring, runId, entry, acceptsClear)));

/** True for the entry that the store itself writes for `cancel`. It holds no text of a run. */
export const isCancellation = ({ kind, outcome, events }: JournalEntry): boolean =>
  kind === 'settle' &&
  isObject(outcome) &&
  Object.keys(outcome).length === 1 &&
  outcome.status === 'cancelled' &&
  events.every((event) => event.type === 'run-end');

const titlePlace = (threadId: string): ValuePlace => ['title', threadId];

export const sealTitle = (ring: KeyRing, threadId: string, title: string): Promise<string> => ring.sealJson(titlePlace(threadId), title);

/** @throws {WorkflowError} as `openEntry`. */
export async function openTitle(ring: KeyRing, threadId: string, title: string, acceptsClear: boolean): Promise<string> {
  if (acceptsClear && !isSealed(title)) return title;
  const opened = await ring.openJson(titlePlace(threadId), title);
  if (typeof opened === 'string') return opened;
  throw threadCorrupt(threadId, 0);
}
