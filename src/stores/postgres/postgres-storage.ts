import type { RunStorage } from '../../core/ports/run-storage.ts';
import type { JournalEntry, RemovedPlace, RunStatus } from '../../core/ports/run-store.ts';
import { notesOfPlaces } from '../../engine/store/run-notes.ts';
import { type RunRow, runColumns, type Stored, toEntries, toRecord, toStoredRun, toStructure, toTitle } from '../rows/run-rows.ts';
import type { PostgresDatabase } from './database/postgres-database.ts';
import { postgresChanges, postgresRewrite } from './postgres-changes.ts';
import { postgresKnownRuns } from './postgres-known-runs.ts';
import { assertPostgresKey, postgresNotes } from './postgres-notes.ts';
import type { DrivenRuns } from './postgres-optimistic-writes.ts';
import { postgresList, postgresTally } from './postgres-queries.ts';
import { entryColumns, toCheckedRunRow, toEntryRow, toRunRow } from './postgres-rows.ts';
import { findThread, postgresRuns } from './postgres-runs.ts';
import type { PostgresTables } from './postgres-schema.ts';
import { postgresThreads } from './postgres-threads.ts';
import { postgresTurns } from './postgres-turns.ts';
import { postgresWatch } from './postgres-watch.ts';

/** Stores runs in the tables of a PostgreSQL database. */
export function postgresStorage(db: PostgresDatabase, tables: PostgresTables): RunStorage {
  const { runs, journal, threads, structures } = tables;
  const states = postgresThreads(tables);
  const rows = postgresRuns(db, tables, states);
  const driven: DrivenRuns = new Map();
  const watch = postgresWatch(db, tables.schema, driven);
  const selectRun = `SELECT ${runColumns.join(', ')} FROM ${runs}`;
  const find = async (runId: string): Promise<Stored<RunRow> | undefined> => {
    const row = await db.one(`${selectRun} WHERE id = $1`, runId);
    return row && toCheckedRunRow(row);
  };

  return {
    ...postgresChanges(db, rows, postgresKnownRuns(db, tables, states), states, driven, watch.notify),
    rewrite: postgresRewrite(db, rows),
    ...postgresNotes(db, tables),
    watch: watch.watch,
    onTakenOver: watch.onTakenOver,
    async read(runId) {
      const row = await find(runId);
      return row && toStoredRun(row);
    },
    journal: (runId) => readJournal(db, journal, runId, find),
    turns: postgresTurns(db, tables, (runId) => readJournal(db, journal, runId, find)),
    async heads(runIds) {
      const rows = await db.all(`SELECT id, epoch, status FROM ${runs} WHERE id = ANY($1::text[])`, runIds);
      return rows.map(({ id, epoch, status }) => ({ id: id ?? '', epoch: Number(epoch), status: status as RunStatus }));
    },
    list: postgresList(db, tables),
    async threadTitles(threadIds) {
      const rows = await db.all(`SELECT id, title FROM ${threads} WHERE title IS NOT NULL AND id = ANY($1::text[])`, threadIds);
      return new Map(rows.map(({ id, title }) => [id ?? '', toTitle(id ?? '', title ?? '')]));
    },
    tally: postgresTally(db, tables),
    readThread: (threadId) => findThread(db, tables, states, threadId),
    async remove(places, decide) {
      const removed = await removeFrom(db, tables, places, decide);
      for (const { id } of removed.rows) watch.notify(id, true);
      return removed.count;
    },
    async saveStructure(hash, structure, keyId) {
      await assertPostgresKey(db, tables.notes, keyId);
      const sql = `INSERT INTO ${structures} (hash, structure) VALUES ($1, $2) ON CONFLICT (hash) DO NOTHING`;
      await db.all(sql, hash, JSON.stringify(structure));
    },
    async readStructure(hash) {
      const row = await db.one(`SELECT structure FROM ${structures} WHERE hash = $1`, hash);
      return row && toStructure(hash, row.structure ?? '');
    },
    async close() {
      await watch.close();
      await db.close();
    },
  };
}

async function readJournal(
  db: PostgresDatabase,
  journal: string,
  runId: string,
  find: (runId: string) => Promise<Stored<RunRow> | undefined>,
): Promise<readonly JournalEntry[] | undefined> {
  const run = await find(runId);
  if (!run) return undefined;
  const rows = (await db.all(`SELECT ${entryColumns.join(', ')} FROM ${journal} WHERE run = $1 ORDER BY seq`, run.n)).map(toEntryRow);
  if (rows.length === run.seq) return toEntries(run, rows);
  // another process may have written to the run or removed it; otherwise the journal is damaged
  const now = await find(runId);
  return now && toEntries(run, now.checksum === run.checksum ? rows : rows.slice(0, run.seq));
}

async function removeFrom(
  db: PostgresDatabase,
  { runs, journal, threads, threadParts, notes }: PostgresTables,
  places: readonly RemovedPlace[],
  decide: Parameters<RunStorage['remove']>[1],
): Promise<{ readonly count: number; readonly rows: readonly RunRow[] }> {
  // sorted, so that two removals lock in the same order
  const runIds = places.flatMap((place) => ('runId' in place ? [place.runId] : [])).sort();
  const threadIds = places.flatMap((place) => ('threadId' in place ? [place.threadId] : [])).sort();
  let before = 0;
  return db.transaction(async (session, mayBeWritten) => {
    // creating or taking over a run of the thread takes the same lock
    if (threadIds.length > 0) await session.all(`SELECT 1 FROM ${threads} WHERE id = ANY($1::text[]) ORDER BY id FOR UPDATE`, threadIds);
    const sql = `SELECT ${runColumns.join(', ')} FROM ${runs} WHERE id = ANY($1::text[]) OR thread = ANY($2::text[]) ORDER BY n FOR UPDATE`;
    const rows = (await session.all(sql, runIds, threadIds)).map(toRunRow);
    if (mayBeWritten && rows.length === 0) return { count: before, rows };
    const records = rows.map(toRecord);
    const byId = Map.groupBy(records, ({ id }) => id);
    const byThread = Map.groupBy(records, ({ threadId }) => threadId);
    for (const place of places) decide(place, ('runId' in place ? byId.get(place.runId) : byThread.get(place.threadId)) ?? []);
    before = rows.length;
    const numbers = rows.map(({ n }) => n);
    await session.all(`DELETE FROM ${journal} WHERE run = ANY($1::bigint[])`, numbers);
    await session.all(`DELETE FROM ${runs} WHERE n = ANY($1::bigint[])`, numbers);
    const names = notesOfPlaces(
      places,
      rows.map(({ id }) => id),
    );
    await session.all(`DELETE FROM ${notes} WHERE name = ANY($1::text[])`, names);
    if (threadIds.length > 0) {
      await session.all(`DELETE FROM ${threads} WHERE id = ANY($1::text[])`, threadIds);
      await session.all(`DELETE FROM ${threadParts} WHERE thread = ANY($1::text[])`, threadIds);
    }
    return { count: rows.length, rows };
  });
}
