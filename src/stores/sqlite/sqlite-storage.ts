import type { SqliteDatabase } from '../../core/node/sqlite/sqlite-database.ts';
import type { RunHead, RunStorage } from '../../core/ports/run-storage.ts';
import type { Awaitable, RemovedPlace, StoreQuery, StoreTally } from '../../core/ports/run-store.ts';
import { afterPrefix } from '../../engine/store/matches-query.ts';
import { notesOfPlaces } from '../../engine/store/run-notes.ts';
import { resultStatusSql, storedStatus } from '../rows/result-status-sql.ts';
import { type RunRow, type Stored, toRecord, toStoredRun, toStructure, toTitle } from '../rows/run-rows.ts';
import { type RemovedRows, rewriteNeighbours } from './rewrite-neighbours.ts';
import { sqliteChanges } from './sqlite-changes.ts';
import { sqliteNotes } from './sqlite-notes.ts';
import { rowsPerRun } from './sqlite-rows.ts';
import { sqliteRuns } from './sqlite-runs.ts';
import { type SqliteThreads, sqliteThreads } from './sqlite-threads.ts';
import { sqliteTurns } from './sqlite-turns.ts';
import type { StoreDatabase } from './store-database.ts';

/** Stores runs in the tables of a SQLite file. */
export function sqliteStorage(file: StoreDatabase): RunStorage {
  const { db } = file;
  const runs = sqliteRuns(db);
  const threads = sqliteThreads(db);

  return {
    ...sqliteChanges(file, runs, threads),
    read: (runId) =>
      db.read(() => {
        const row = runs.find(runId);
        return row && toStoredRun(row);
      }),
    journal: (runId) =>
      db.read(() => {
        const row = runs.find(runId);
        return row && runs.entries(row);
      }),
    heads: (runIds) =>
      db.read(() =>
        db.all<RunHead>('SELECT id, epoch, status FROM runs WHERE id IN (SELECT value FROM json_each(?))', JSON.stringify(runIds)),
      ),
    list: ({ limit, ...query }) =>
      db.read(() => {
        const { where, values } = toCondition(query);
        const sql = `SELECT * FROM runs${where} ORDER BY n DESC LIMIT ?`;
        return db.all<Stored<RunRow>>(sql, ...values, Number.isFinite(limit) ? limit : -1).map((row) => toRecord(runs.latest(row)));
      }),
    turns: sqliteTurns(db, runs),
    threadTitles: (threadIds) =>
      db.read(() => {
        // an index covers both columns
        const sql = 'SELECT id, title FROM threads WHERE title IS NOT NULL AND id IN (SELECT value FROM json_each(?))';
        const rows = db.all<{ readonly id: string; readonly title: string }>(sql, JSON.stringify(threadIds));
        return new Map(rows.map(({ id, title }) => [id, toTitle(id, title)]));
      }),
    tally: () =>
      db.read(() => ({
        threads: db.one<{ readonly threads: number }>('SELECT count(*) AS threads FROM threads')?.threads ?? 0,
        runs: db.all<StoreTally['runs'][number]>(
          `SELECT workflow, ${resultStatusSql} AS status, count(*) AS count FROM runs GROUP BY 2, 1`,
        ),
      })),
    readThread: (threadId) => db.read(() => threads.find(threadId, 'thread')),
    remove(places, decide) {
      const removed = file.write(() => {
        file.raiseGeneration();
        const removed = places.map((place) => removeRows(db, threads, place, decide));
        const count = removed.reduce((sum, { runs }) => sum + runs.length, 0);
        file.scheduleScrub({ rewrite: count > maxRunsWithNeighbours });
        if (count <= maxRunsWithNeighbours) for (const rows of removed) rewriteNeighbours(db, rows);
        return count;
      });
      return removed instanceof Promise ? removed.then((count) => scrubbed(file, count)) : scrubbed(file, removed);
    },
    ...sqliteNotes(file, db),
    saveStructure: (hash, structure) =>
      file.write(() => {
        db.run('INSERT OR IGNORE INTO structures (hash, structure) VALUES (?, ?)', hash, JSON.stringify(structure));
      }),
    readStructure: (hash) =>
      db.read(() => {
        const row = db.one<{ readonly structure: string }>('SELECT structure FROM structures WHERE hash = ?', hash);
        return row && toStructure(hash, row.structure);
      }),
    close: () => db.close(),
  };
}

/** Contains only the fields of the query, so that the matching index is used. */
function toCondition({ workflow, threadId, status, resultStatus, dueBefore, idPrefix, before }: StoreQuery): {
  where: string;
  values: (string | number)[];
} {
  const parts = [
    ['workflow = ?', workflow],
    ['thread = ?', threadId],
    ['status = ?', status ?? storedStatus(resultStatus)],
    [`${resultStatusSql} = ?`, resultStatus],
    ['wake_at <= ?', dueBefore],
    ['id >= ?', idPrefix],
    ['id < ?', afterPrefix(idPrefix)],
    ['n < (SELECT n FROM runs WHERE id = ?)', before],
  ] as const;
  const asked = parts.flatMap(([sql, value]) => (value === undefined ? [] : [{ sql, value }]));
  const where = asked.length === 0 ? '' : ` WHERE ${asked.map(({ sql }) => sql).join(' AND ')}`;
  return { where, values: asked.map(({ value }) => value) };
}

/** Maximum number of removed runs whose neighbors are rewritten. For more, rewriting the file once is faster. */
const maxRunsWithNeighbours = 200;

function removeRows(
  db: SqliteDatabase,
  threads: SqliteThreads,
  place: RemovedPlace,
  decide: Parameters<RunStorage['remove']>[1],
): RemovedRows {
  const [column, id] = 'runId' in place ? (['id', place.runId] as const) : (['thread', place.threadId] as const);
  const rows = db.all<Stored<RunRow>>(`SELECT * FROM runs WHERE ${column} = ?`, id);
  decide(place, rows.map(toRecord));
  for (const { n } of rows) db.run('DELETE FROM journal WHERE id > ? AND id <= ?', n * rowsPerRun, (n + 1) * rowsPerRun);
  const names = notesOfPlaces(
    [place],
    rows.map((row) => row.id),
  );
  for (const name of names) db.run('DELETE FROM notes WHERE name = ?', name);
  db.run(`DELETE FROM runs WHERE ${column} = ?`, id);
  if (column === 'thread') threads.remove(id);
  return { runs: rows, ...('threadId' in place ? { threadId: place.threadId } : {}) };
}

function scrubbed(file: StoreDatabase, count: number): Awaitable<number> {
  const done = file.scrub();
  return done instanceof Promise ? done.then(() => count) : count;
}
