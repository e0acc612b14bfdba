import type { SqliteDatabase } from '../../core/node/sqlite/sqlite-database.ts';
import type { RunHead, RunStorage } from '../../core/ports/run-storage.ts';
import type { Awaitable, RemovedPlace } from '../../core/ports/run-store.ts';
import { notesOfPlaces } from '../../engine/store/run-notes.ts';
import { type RunRow, type Stored, toRecord, toStoredRun, toStructure, toTitle } from '../rows/run-rows.ts';
import { type RemovedRows, rewriteNeighbours } from './rewrite-neighbours.ts';
import { sqliteChanges } from './sqlite-changes.ts';
import { assertSqliteKey, sqliteRewrite } from './sqlite-encryption.ts';
import { sqliteNotes } from './sqlite-notes.ts';
import { sqliteList, sqliteTally } from './sqlite-queries.ts';
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
    rewrite: sqliteRewrite(file, runs),
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
    list: sqliteList(db, runs),
    turns: sqliteTurns(db, runs),
    threadTitles: (threadIds) =>
      db.read(() => {
        // an index covers both columns
        const sql = 'SELECT id, title FROM threads WHERE title IS NOT NULL AND id IN (SELECT value FROM json_each(?))';
        const rows = db.all<{ readonly id: string; readonly title: string }>(sql, JSON.stringify(threadIds));
        return new Map(rows.map(({ id, title }) => [id, toTitle(id, title)]));
      }),
    tally: sqliteTally(db),
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
    saveStructure: (hash, structure, keyId) =>
      file.write(() => {
        assertSqliteKey(db, keyId);
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
