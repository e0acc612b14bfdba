import { WorkflowError } from '../../core/errors/errors.ts';
import type { Json, JsonObject } from '../../core/ports/json.ts';
import type {
  FoundRun,
  FoundThread,
  NoteDecision,
  NoteRow,
  RunChange,
  RunHead,
  RunPlace,
  RunStorage,
  StoredRun,
} from '../../core/ports/run-storage.ts';
import {
  type JournalEntry,
  maxCrashes,
  type RemovedPlace,
  type RunRating,
  type RunRecord,
  type ThreadRecord,
} from '../../core/ports/run-store.ts';
import { afterPrefix, isSamePlace } from '../../engine/store/matches-query.ts';
import { type NotePage, notePage, notePageSql } from '../../engine/store/note-page.ts';
import { notesOfPlaces, ratingNote, toRatings } from '../../engine/store/run-notes.ts';
import { entryTooLarge, storeUnavailable } from '../../engine/store/store-errors.ts';
import { assertWriter, encryptionNote } from '../../engine/store/store-key.ts';
import { failureCodeSql, fleetStateSql } from '../rows/fleet-state-sql.ts';
import { resultStatusSql } from '../rows/result-status-sql.ts';
import { openThreadText, packThreadText, type ThreadPart, type ThreadParts, threadParts } from '../rows/thread-parts.ts';

/** The part of a Durable Object's `ctx.storage` that the store uses. */
export interface DurableObjectStorageLike {
  readonly sql: {
    exec(query: string, ...values: (string | number | null)[]): { toArray(): readonly Readonly<Record<string, unknown>>[] };
  };
  transactionSync<T>(work: () => T): T;
  setAlarm(time: number): Promise<void>;
  deleteAlarm(): Promise<void>;
}

type Values = readonly (string | number | null)[];

const place = 'of the Durable Object';
const version = 2;
/** Delay before an overdue run is checked again after another write, in milliseconds. */
const overdueMs = 60_000;
/** Delay before a run without an owner is checked, in milliseconds. */
const unownedMs = 1_000;

// queried values have their own columns; the rest is JSON, which preserves every text exactly
const tables = [
  'CREATE TABLE IF NOT EXISTS agent_machines_about (version INTEGER NOT NULL)',
  `CREATE TABLE IF NOT EXISTS agent_machines_runs (
     n INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, workflow TEXT NOT NULL, thread TEXT, status TEXT NOT NULL, epoch INTEGER NOT NULL,
     wake_at REAL, look_at REAL, run TEXT NOT NULL)`,
  'CREATE INDEX IF NOT EXISTS agent_machines_runs_of_thread ON agent_machines_runs (thread, n) WHERE thread IS NOT NULL',
  'CREATE INDEX IF NOT EXISTS agent_machines_runs_to_look_at ON agent_machines_runs (look_at) WHERE look_at IS NOT NULL',
  `CREATE TABLE IF NOT EXISTS agent_machines_entries (
     run TEXT NOT NULL, seq INTEGER NOT NULL, entry TEXT NOT NULL, PRIMARY KEY (run, seq)) WITHOUT ROWID`,
  'CREATE TABLE IF NOT EXISTS agent_machines_threads (id TEXT PRIMARY KEY, thread TEXT NOT NULL) WITHOUT ROWID',
  `CREATE TABLE IF NOT EXISTS agent_machines_thread_parts (
     thread TEXT NOT NULL, name TEXT NOT NULL, items TEXT NOT NULL, PRIMARY KEY (thread, name)) WITHOUT ROWID`,
  'CREATE TABLE IF NOT EXISTS agent_machines_notes (name TEXT PRIMARY KEY, note TEXT NOT NULL) WITHOUT ROWID',
  'CREATE TABLE IF NOT EXISTS agent_machines_structures (hash TEXT PRIMARY KEY, structure TEXT NOT NULL) WITHOUT ROWID',
];

/** Stores runs in the tables of a Durable Object. */
export function durableObjectStorage(storage: DurableObjectStorageLike, setsAlarm: boolean): RunStorage {
  let isClosed = false;
  let alarmAt: number | null | undefined;
  const all = (sql: string, ...values: Values): readonly Readonly<Record<string, unknown>>[] => storage.sql.exec(sql, ...values).toArray();
  const one = <T>(sql: string, ...values: Values): T | undefined => {
    const [row] = all(sql, ...values);
    return row && (JSON.parse(String(Object.values(row)[0])) as T);
  };
  const transaction = <T>(work: () => T): T => {
    try {
      if (isClosed) throw new Error('it is closed');
      return storage.transactionSync(work);
    } catch (cause) {
      throw toError(cause);
    }
  };
  transaction(() => prepare(all));

  const states = threadParts();
  const run = (runId: string): StoredRun | undefined => one('SELECT run FROM agent_machines_runs WHERE id = ?', runId);
  const thread = (threadId: string, reads: RunPlace['reads']): FoundThread => {
    const sql = "SELECT id FROM agent_machines_runs WHERE thread = ? AND status = 'queued' ORDER BY n LIMIT 1";
    const [first] = reads === 'queue' ? all(sql, threadId) : [];
    return { record: findThread(all, states, threadId), firstQueued: first && String(first.id) };
  };
  /** Sets the alarm if its time changes. The platform commits it together with the preceding writes. */
  const setAlarm = async (): Promise<void> => {
    const at = nextAlarm(all);
    if (at === alarmAt) return;
    alarmAt = at;
    await (at === null ? storage.deleteAlarm() : storage.setAlarm(at));
  };

  return {
    change({ runId, threadId, reads, driven, keyId }, decide) {
      const change = transaction(() => {
        assertKey(all, keyId);
        const found = run(runId);
        const id = reads === 'run' ? undefined : (threadId ?? found?.record.threadId);
        const foundThread = id === undefined ? undefined : thread(id, reads);
        const decided = decide({ run: found, thread: foundThread, ...(driven && drivenRuns(all)) });
        saveRun(all, decided);
        if (decided.thread) saveThread(all, states, decided.thread, foundThread?.record?.state);
        return decided;
      });
      return setsAlarm ? setAlarm().then(() => change) : change;
    },
    read: (runId) => transaction(() => run(runId)),
    journal: (runId) => transaction(() => entriesOf(all, runId)),
    heads: (runIds) =>
      transaction(() => {
        const sql = 'SELECT id, epoch, status FROM agent_machines_runs WHERE id IN (SELECT value FROM json_each(?))';
        return all(sql, JSON.stringify(runIds)) as readonly unknown[] as readonly RunHead[];
      }),
    list: (query) => transaction(() => recordsOf(all, query)),
    readThread: (threadId) => transaction(() => thread(threadId, 'thread')),
    remove(places, decide) {
      const count = transaction(() => places.reduce((sum, place) => sum + removeFrom(all, place, decide), 0));
      return setsAlarm ? setAlarm().then(() => count) : count;
    },
    note: (name, decide) => transaction(() => changeNote(all, name, decide)),
    notes: (query) => transaction(() => notesOfPage(all, notePage(query))),
    rate: (runId, rating) => transaction(() => rate(all, runId, rating)),
    ratings: (runIds) => transaction(() => ratingsOf(all, runIds)),
    rewrite: (record, entries, keyId) => transaction(() => rewriteEntries(all, run(record.id)?.record, record, entries, keyId)),
    saveStructure: (hash, structure, keyId) =>
      transaction(() => {
        assertKey(all, keyId);
        all('INSERT OR IGNORE INTO agent_machines_structures VALUES (?, ?)', hash, JSON.stringify(structure));
      }),
    readStructure: (hash) => transaction(() => one<JsonObject>('SELECT structure FROM agent_machines_structures WHERE hash = ?', hash)),
    close() {
      isClosed = true;
    },
  };
}

type Query = (sql: string, ...values: Values) => readonly Readonly<Record<string, unknown>>[];

function recordsOf(all: Query, query: Parameters<RunStorage['list']>[0]): readonly RunRecord[] {
  const { workflow = null, threadId = null, status = null, resultStatus = null, state = null, code = null } = query;
  const { updatedBefore = null, dueBefore = null, idPrefix = null, before = null, limit } = query;
  return all(
    `WITH runs AS (SELECT n, id, workflow, thread, status, wake_at, run, json_extract(run, '$.record.failure') AS failure,
       json_extract(run, '$.record.sleeps') AS sleeps, json_extract(run, '$.record.crashes') AS crashes,
       json_extract(run, '$.record.updatedAt') AS updated_at FROM agent_machines_runs)
     SELECT run FROM runs WHERE (? IS NULL OR workflow = ?) AND (? IS NULL OR thread = ?) AND (? IS NULL OR status = ?)
       AND (? IS NULL OR ${resultStatusSql} = ?) AND (? IS NULL OR ${fleetStateSql(`crashes >= ${maxCrashes}`)} = ?)
       AND (? IS NULL OR ${failureCodeSql} = ?) AND (? IS NULL OR updated_at < ?)
       AND (? IS NULL OR wake_at <= ?) AND (? IS NULL OR (id >= ? AND id < ?))
       AND (? IS NULL OR n < (SELECT n FROM agent_machines_runs WHERE id = ?)) ORDER BY n DESC LIMIT ?`,
    ...[workflow, workflow, threadId, threadId, status, status, resultStatus, resultStatus, state, state, code, code],
    ...[updatedBefore, updatedBefore, dueBefore, dueBefore, idPrefix, idPrefix, afterPrefix(idPrefix), before, before],
    Number.isFinite(limit) ? limit : -1,
  ).map((row) => (JSON.parse(String(row.run)) as { readonly record: RunRecord }).record);
}

function entriesOf(all: Query, runId: string): readonly JournalEntry[] | undefined {
  const rows = all('SELECT entry FROM agent_machines_entries WHERE run = ? ORDER BY seq', runId);
  return rows.length === 0 ? undefined : rows.map(({ entry }) => JSON.parse(String(entry)) as JournalEntry);
}

function assertKey(all: Query, keyId: string | undefined): void {
  const [row] = keyId === undefined ? [] : all('SELECT note FROM agent_machines_notes WHERE name = ?', encryptionNote);
  assertWriter(row && String(row.note), keyId);
}

function rewriteEntries(
  all: Query,
  found: RunRecord | undefined,
  record: RunRecord,
  entries: readonly JournalEntry[],
  keyId: string,
): boolean {
  assertKey(all, keyId);
  if (!found || !isSamePlace(found, record)) return false;
  const sql = 'UPDATE agent_machines_entries SET entry = ? WHERE run = ? AND seq = ?';
  for (const entry of entries) all(sql, JSON.stringify(entry), record.id, entry.seq);
  return true;
}

function changeNote<T extends NoteDecision>(all: Query, name: string, decide: (text: string | undefined, now: number) => T): T {
  const [row] = all('SELECT note FROM agent_machines_notes WHERE name = ?', name);
  const decision = decide(row && String(row.note), Date.now());
  if (decision.text === undefined) all('DELETE FROM agent_machines_notes WHERE name = ?', name);
  else all('INSERT OR REPLACE INTO agent_machines_notes VALUES (?, ?)', name, decision.text);
  return decision;
}

function notesOfPage(all: Query, page: NotePage): readonly NoteRow[] {
  const { where, values } = notePageSql(page, () => '?');
  const rows = all(`SELECT name, note FROM agent_machines_notes WHERE ${where} ORDER BY name LIMIT ?`, ...values, page.limit);
  return rows.map(({ name, note }) => ({ name: String(name), text: String(note) }));
}

function rate(all: Query, runId: string, rating: RunRating | undefined): boolean {
  const isThere = all('SELECT 1 FROM agent_machines_runs WHERE id = ?', runId).length > 0;
  if (rating === undefined) all('DELETE FROM agent_machines_notes WHERE name = ?', ratingNote(runId));
  else if (isThere) all('INSERT OR REPLACE INTO agent_machines_notes VALUES (?, ?)', ratingNote(runId), rating);
  return isThere;
}

function ratingsOf(all: Query, runIds: readonly string[]): ReadonlyMap<string, RunRating> {
  const sql = 'SELECT name, note FROM agent_machines_notes WHERE name IN (SELECT value FROM json_each(?))';
  return toRatings(all(sql, JSON.stringify(runIds.map(ratingNote))).map(({ name, note }) => ({ name: String(name), note: String(note) })));
}

const drivenRuns = (all: Query): Pick<FoundRun, 'driven'> => ({
  driven: all("SELECT run FROM agent_machines_runs WHERE status = 'running'").map((row) => JSON.parse(String(row.run)) as StoredRun),
});

function prepare(all: Query): void {
  for (const table of tables) all(table);
  const [about] = all('SELECT version FROM agent_machines_about');
  if (!about) all('INSERT INTO agent_machines_about VALUES (?)', version);
  else if (Number(about.version) > version) throw newer(Number(about.version));
  else if (Number(about.version) < version) all('UPDATE agent_machines_about SET version = ?', version);
}

/** Time of the next alarm; `null` if none is needed. */
function nextAlarm(all: Query): number | null {
  const now = Date.now();
  const [row] = all(
    'SELECT min(CASE WHEN look_at > ? THEN look_at ELSE ? END) AS at FROM agent_machines_runs WHERE look_at IS NOT NULL',
    // the alarm of an overdue run has fired without effect, so the next one is `overdueMs` away to prevent a tight loop
    ...[now, now + overdueMs],
  );
  return typeof row?.at === 'number' ? row.at : null;
}

function saveRun(all: Query, { run, entries }: RunChange): void {
  const { id, workflow, threadId = null, status, epoch, wakeAt = null } = run.record;
  // a live driver renews its lease before this check; an imported run has no lease and needs the alarm
  const unowned = status === 'running' || status === 'queued' ? Date.now() + unownedMs : wakeAt;
  const lookAt = run.lease ? run.lease.renewedAt + run.lease.leaseMs : unowned;
  all(
    `INSERT INTO agent_machines_runs (id, workflow, thread, status, epoch, wake_at, look_at, run) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET status = excluded.status, epoch = excluded.epoch, wake_at = excluded.wake_at, look_at = excluded.look_at,
       run = excluded.run`,
    ...[id, workflow, threadId, status, epoch, wakeAt, lookAt, JSON.stringify(run)],
  );
  for (const entry of entries) all('INSERT INTO agent_machines_entries VALUES (?, ?, ?)', id, entry.seq, JSON.stringify(entry));
}

function findThread(all: Query, states: ThreadParts, threadId: string): ThreadRecord | undefined {
  const [row] = all('SELECT thread FROM agent_machines_threads WHERE id = ?', threadId);
  if (!row) return undefined;
  const { missing, read } = openThreadText(states, String(row.thread));
  const sql = 'SELECT items FROM agent_machines_thread_parts WHERE thread = ? AND name = ?';
  return read(missing.flatMap((name) => all(sql, threadId, name).map(({ items }): ThreadPart => ({ name, items: String(items) }))));
}

function saveThread(all: Query, states: ThreadParts, thread: ThreadRecord, before: Json | undefined): void {
  const { id } = thread;
  const { text, added, removed } = packThreadText(states, thread, before);
  for (const { name, items } of added) all('INSERT OR REPLACE INTO agent_machines_thread_parts VALUES (?, ?, ?)', id, name, items);
  for (const name of removed) all('DELETE FROM agent_machines_thread_parts WHERE thread = ? AND name = ?', id, name);
  all('INSERT OR REPLACE INTO agent_machines_threads VALUES (?, ?)', id, text);
}

function removeFrom(all: Query, place: RemovedPlace, decide: Parameters<RunStorage['remove']>[1]): number {
  const [column, id] = 'runId' in place ? (['id', place.runId] as const) : (['thread', place.threadId] as const);
  const rows = all(`SELECT run FROM agent_machines_runs WHERE ${column} = ?`, id);
  const records = rows.map((row) => (JSON.parse(String(row.run)) as StoredRun).record);
  decide(place, records);
  for (const record of records) all('DELETE FROM agent_machines_entries WHERE run = ?', record.id);
  const names = notesOfPlaces(
    [place],
    records.map((record) => record.id),
  );
  for (const name of names) all('DELETE FROM agent_machines_notes WHERE name = ?', name);
  all(`DELETE FROM agent_machines_runs WHERE ${column} = ?`, id);
  if (column === 'thread') {
    all('DELETE FROM agent_machines_threads WHERE id = ?', id);
    all('DELETE FROM agent_machines_thread_parts WHERE thread = ?', id);
  }
  return records.length;
}

function toError(cause: unknown): unknown {
  if (WorkflowError.isInstance(cause)) return cause;
  return String(cause).includes('SQLITE_TOOBIG') ? entryTooLarge(place, cause) : storeUnavailable(place, cause);
}

const newer = (found: number): WorkflowError =>
  new WorkflowError({
    code: 'STORE_VERSION',
    message: `The database ${place} was made by a newer version.`,
    hint: 'Update agent-machines.',
    data: { version: found, known: version },
  });
