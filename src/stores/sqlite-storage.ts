import type { RunHead, RunStorage } from '../ports/run-storage.ts';
import type { Awaitable } from '../ports/run-store.ts';
import type { SqliteDatabase } from '../sqlite/sqlite-database.ts';
import { sqliteChanges } from './sqlite-changes.ts';
import { type RunRow, rowsPerRun, type Stored, toRecord, toStoredRun, toStructure } from './sqlite-rows.ts';
import { sqliteRuns } from './sqlite-runs.ts';
import { findThread } from './sqlite-threads.ts';
import type { StoreDatabase } from './store-database.ts';

/** Keeps runs in the tables of a SQLite file. */
export function sqliteStorage(file: StoreDatabase): RunStorage {
  const { db } = file;
  const runs = sqliteRuns(db);

  return {
    ...sqliteChanges(file, runs),
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
    list: ({ workflow = null, threadId = null, status = null, dueBefore = null, limit }) =>
      db.read(() =>
        db
          .all<Stored<RunRow>>(
            `SELECT * FROM runs WHERE (? IS NULL OR workflow = ?) AND (? IS NULL OR thread = ?) AND (? IS NULL OR status = ?)
               AND (? IS NULL OR wake_at <= ?) ORDER BY n DESC LIMIT ?`,
            ...[workflow, workflow, threadId, threadId, status, status, dueBefore, dueBefore, Number.isFinite(limit) ? limit : -1],
          )
          .map((row) => toRecord(runs.latest(row))),
      ),
    readThread: (threadId) => db.read(() => findThread(db, threadId, 'thread')),
    remove(place, decide) {
      const [column, id] = 'runId' in place ? (['id', place.runId] as const) : (['thread', place.threadId] as const);
      const removed = file.write(() => {
        const rows = db.all<Stored<RunRow>>(`SELECT * FROM runs WHERE ${column} = ?`, id);
        decide(rows.map(toRecord));
        file.goOn();
        for (const { n } of rows) db.run('DELETE FROM journal WHERE id > ? AND id <= ?', n * rowsPerRun, (n + 1) * rowsPerRun);
        db.run(`DELETE FROM runs WHERE ${column} = ?`, id);
        if (column === 'thread') db.run('DELETE FROM threads WHERE id = ?', id);
        return rows.length;
      });
      return removed instanceof Promise ? removed.then((count) => scrubbed(db, count)) : scrubbed(db, removed);
    },
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

/** SQLite leaves removed text in free pages, in gaps of others and in its log, that of earlier changes too: only a new copy has none. */
function scrubbed(db: SqliteDatabase, count: number): Awaitable<number> {
  const done = db.rewrite();
  return done instanceof Promise ? done.then(() => count) : count;
}
