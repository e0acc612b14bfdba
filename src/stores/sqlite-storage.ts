import type { RunHead, RunStorage } from '../ports/run-storage.ts';
import { sqliteChanges } from './sqlite-changes.ts';
import { type RunRow, type Stored, toRecord, toStoredRun, toStructure } from './sqlite-rows.ts';
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
