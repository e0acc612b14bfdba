import type { NoteDecision, RunStorage } from '../../core/ports/run-storage.ts';
import { notePage, pageOf } from '../../engine/store/note-page.ts';
import { ratingNote, toRatings } from '../../engine/store/run-notes.ts';
import { done, type IndexedDbDatabase, type TextItem } from './indexeddb-database.ts';

/** Stores notes, and the ratings among them, in an IndexedDB database. */
export const indexedDbNotes = (db: IndexedDbDatabase): Required<Pick<RunStorage, 'note' | 'notes' | 'rate' | 'ratings'>> => ({
  note: <T extends NoteDecision>(name: string, decide: (text: string | undefined, now: number) => T) =>
    db.transact(['notes'], 'readwrite', async (transaction) => {
      const decision = decide(await readNote(transaction, name), Date.now());
      writeNote(transaction, name, decision.text);
      return decision;
    }),
  notes: (query) =>
    db.transact(['notes'], 'readonly', async (transaction) => {
      const page = notePage(query);
      const keys = await done(transaction.objectStore('notes').getAllKeys(rangeOf(query.prefix)));
      const names = pageOf(
        keys.map((name) => ({ name: String(name) })),
        page,
      );
      return Promise.all(names.map(async ({ name }) => ({ name, text: (await readNote(transaction, name)) ?? '' })));
    }),
  rate: (runId, rating) =>
    db.transact(['runs', 'notes'], 'readwrite', async (transaction) => {
      const isThere = (await done(transaction.objectStore('runs').index('id').getKey(runId))) !== undefined;
      if (isThere || rating === undefined) writeNote(transaction, ratingNote(runId), rating);
      return isThere;
    }),
  ratings: (runIds) =>
    db.transact(['notes'], 'readonly', async (transaction) => {
      const names = runIds.map(ratingNote);
      const texts = await Promise.all(names.map((name) => readNote(transaction, name)));
      return toRatings(names.map((name, index) => ({ name, note: texts[index] ?? '' })));
    }),
});

/** IndexedDB orders names by UTF-16 units. Names with a prefix are a range in this order too. */
function rangeOf(prefix: string): IDBKeyRange {
  const last = prefix.charCodeAt(prefix.length - 1);
  if (!(last < 0xffff)) return IDBKeyRange.lowerBound(prefix);
  return IDBKeyRange.bound(prefix, prefix.slice(0, -1) + String.fromCharCode(last + 1), false, true);
}

export async function readNote(transaction: IDBTransaction, name: string): Promise<string | undefined> {
  const kept: TextItem | undefined = await done(transaction.objectStore('notes').get(name));
  return kept?.text;
}

function writeNote(transaction: IDBTransaction, name: string, text: string | undefined): void {
  const notes = transaction.objectStore('notes');
  if (text === undefined) notes.delete(name);
  else notes.put({ text } satisfies TextItem, name);
}
