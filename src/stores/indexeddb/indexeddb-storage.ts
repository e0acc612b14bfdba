import type { Json, JsonObject } from '../../core/ports/json.ts';
import type { FoundThread, RunChange, RunPlace, RunStorage, StoredRun } from '../../core/ports/run-storage.ts';
import type { JournalEntry, RemovedPlace, ThreadRecord } from '../../core/ports/run-store.ts';
import { findRecords, isSamePlace } from '../../engine/store/matches-query.ts';
import { notesOfPlaces } from '../../engine/store/run-notes.ts';
import { assertWriter, encryptionNote } from '../../engine/store/store-key.ts';
import { openThreadText, packThreadText, type ThreadPart, type ThreadParts, threadParts } from '../rows/thread-parts.ts';
import { done, type IndexedDbDatabase, type RunItem, type TextItem } from './indexeddb-database.ts';
import { indexedDbNotes, readNote } from './indexeddb-notes.ts';
import type { TabOwners } from './tab-owners.ts';

/** Stores runs in an IndexedDB database. */
export function indexedDbStorage(db: IndexedDbDatabase, owners: TabOwners): RunStorage {
  const states = threadParts();
  const read = (runId: string): Promise<StoredRun | undefined> =>
    db.transact(['runs'], 'readonly', async (transaction) => (await findRun(transaction, runId))?.run);

  return {
    async change(place, decide) {
      await owners.ready;
      if (place.reads === 'queue') {
        // a transaction cannot await the state of an owner
        const owner = (await read(place.runId))?.lease?.owner;
        if (owner !== undefined) await owners.checkOwner(owner);
      }
      return db.transact(['runs', 'entries', 'threads', 'threadParts', 'notes'], 'readwrite', async (transaction) => {
        await assertKey(transaction, place.keyId);
        const before = await findRun(transaction, place.runId);
        const threadId = place.reads === 'run' ? undefined : (place.threadId ?? before?.run.record.threadId);
        const thread = threadId === undefined ? undefined : await findThread(transaction, states, threadId, place.reads);
        const change = decide({ run: before?.run, thread, ...(place.driven ? { driven: await drivenRuns(transaction) } : {}) });
        saveRun(transaction, before?.n, change);
        if (change.thread) saveThread(transaction, states, change.thread, thread?.record?.state);
        return change;
      });
    },
    read,
    journal: (runId) =>
      db.transact(['entries'], 'readonly', async (transaction) => {
        const ofRun = IDBKeyRange.bound([runId, 0], [runId, Number.MAX_SAFE_INTEGER]);
        const entries: TextItem[] = await done(transaction.objectStore('entries').getAll(ofRun));
        return entries.length === 0 ? undefined : entries.map(({ text }) => JSON.parse(text) as JournalEntry);
      }),
    heads: (runIds) =>
      db.transact(['runs'], 'readonly', async (transaction) => {
        const found = await Promise.all(runIds.map((id) => findRun(transaction, id)));
        return found.flatMap((one) => one?.run.record ?? []);
      }),
    list: (query) =>
      db.transact(['runs'], 'readonly', async (transaction) => {
        const kept: RunItem[] = await done(transaction.objectStore('runs').getAll());
        const records = kept.reverse().map(({ run }) => (JSON.parse(run) as StoredRun).record);
        return findRecords(records, query);
      }),
    readThread: (threadId) =>
      db.transact(['runs', 'threads', 'threadParts'], 'readonly', (transaction) => findThread(transaction, states, threadId, 'thread')),
    remove: (places, decide) =>
      db.transact(['runs', 'entries', 'threads', 'threadParts', 'notes'], 'readwrite', async (transaction) => {
        let count = 0;
        for (const place of places) count += await removeFrom(transaction, place, decide);
        return count;
      }),
    rewrite: (record, entries, keyId) =>
      db.transact(['runs', 'entries', 'notes'], 'readwrite', async (transaction) => {
        await assertKey(transaction, keyId);
        const found = (await findRun(transaction, record.id))?.run.record;
        if (!found || !isSamePlace(found, record)) return false;
        const items = transaction.objectStore('entries');
        for (const entry of entries) items.put({ text: JSON.stringify(entry) } satisfies TextItem, [record.id, entry.seq]);
        return true;
      }),
    saveStructure: (hash, structure, keyId) =>
      db.transact(['structures', 'notes'], 'readwrite', async (transaction) => {
        await assertKey(transaction, keyId);
        const structures = transaction.objectStore('structures');
        const isKept = (await done(structures.getKey(hash))) !== undefined;
        if (!isKept) structures.put({ text: JSON.stringify(structure) } satisfies TextItem, hash);
      }),
    readStructure: (hash) => db.transact(['structures'], 'readonly', (transaction) => readStructure(transaction, hash)),
    ...indexedDbNotes(db),
    async close() {
      await db.close();
      owners.close();
    },
  };
}

async function assertKey(transaction: IDBTransaction, keyId: string | undefined): Promise<void> {
  if (keyId !== undefined) assertWriter(await readNote(transaction, encryptionNote), keyId);
}

async function drivenRuns(transaction: IDBTransaction): Promise<readonly StoredRun[]> {
  const kept: RunItem[] = await done(transaction.objectStore('runs').getAll());
  return kept.filter(({ status }) => status === 'running').map(({ run }) => JSON.parse(run) as StoredRun);
}

async function removeFrom(transaction: IDBTransaction, place: RemovedPlace, decide: Parameters<RunStorage['remove']>[1]): Promise<number> {
  const runs = transaction.objectStore('runs');
  const kept: RunItem[] =
    'runId' in place
      ? await done(runs.index('id').getAll(place.runId))
      : await done(runs.index('queue').getAll(IDBKeyRange.bound([place.threadId], [place.threadId, []])));
  decide(
    place,
    kept.map(({ run }) => (JSON.parse(run) as StoredRun).record),
  );
  const names = notesOfPlaces(
    [place],
    kept.map(({ id }) => id),
  );
  for (const name of names) transaction.objectStore('notes').delete(name);
  for (const { id, n } of kept) {
    transaction.objectStore('entries').delete(IDBKeyRange.bound([id, 0], [id, Number.MAX_SAFE_INTEGER]));
    if (n !== undefined) runs.delete(n);
  }
  if ('threadId' in place) {
    transaction.objectStore('threads').delete(place.threadId);
    transaction.objectStore('threadParts').delete(IDBKeyRange.bound([place.threadId], [place.threadId, []]));
  }
  return kept.length;
}

async function findRun(transaction: IDBTransaction, runId: string): Promise<{ readonly n: number; readonly run: StoredRun } | undefined> {
  const kept: RunItem | undefined = await done(transaction.objectStore('runs').index('id').get(runId));
  return kept?.n === undefined ? undefined : { n: kept.n, run: JSON.parse(kept.run) as StoredRun };
}

async function readThread(transaction: IDBTransaction, states: ThreadParts, threadId: string): Promise<ThreadRecord | undefined> {
  const kept: TextItem | undefined = await done(transaction.objectStore('threads').get(threadId));
  if (!kept) return undefined;
  const { missing, read } = openThreadText(states, kept.text);
  const parts = await Promise.all(
    missing.map(async (name): Promise<readonly ThreadPart[]> => {
      const part: TextItem | undefined = await done(transaction.objectStore('threadParts').get([threadId, name]));
      return part ? [{ name, items: part.text }] : [];
    }),
  );
  return read(parts.flat());
}

function saveThread(transaction: IDBTransaction, states: ThreadParts, thread: ThreadRecord, before: Json | undefined): void {
  const { id } = thread;
  const { text, added, removed } = packThreadText(states, thread, before);
  transaction.objectStore('threads').put({ text } satisfies TextItem, id);
  const parts = transaction.objectStore('threadParts');
  for (const { name, items } of added) parts.put({ text: items } satisfies TextItem, [id, name]);
  for (const name of removed) parts.delete([id, name]);
}

async function findThread(
  transaction: IDBTransaction,
  states: ThreadParts,
  threadId: string,
  reads: RunPlace['reads'],
): Promise<FoundThread> {
  const record = await readThread(transaction, states, threadId);
  if (reads !== 'queue') return { record };
  const first: RunItem | undefined = await done(transaction.objectStore('runs').index('queue').get([threadId, 'queued']));
  return { record, firstQueued: first?.id };
}

async function readStructure(transaction: IDBTransaction, hash: string): Promise<JsonObject | undefined> {
  const kept: TextItem | undefined = await done(transaction.objectStore('structures').get(hash));
  return kept && (JSON.parse(kept.text) as JsonObject);
}

function saveRun(transaction: IDBTransaction, n: number | undefined, { run, entries }: RunChange): void {
  const { id, threadId, status } = run.record;
  const kept: RunItem = {
    ...(n === undefined ? {} : { n }),
    ...(threadId === undefined ? {} : { thread: threadId }),
    id,
    status,
    run: JSON.stringify(run),
  };
  transaction.objectStore('runs').put(kept);
  for (const entry of entries) transaction.objectStore('entries').put({ text: JSON.stringify(entry) } satisfies TextItem, [id, entry.seq]);
}
