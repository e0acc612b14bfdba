import type { FoundThread, RunPlace } from '../ports/run-storage.ts';
import type { ThreadRecord } from '../ports/run-store.ts';
import type { SqliteDatabase } from '../sqlite/sqlite-database.ts';
import { checkThread, type RunRow, type Stored, type ThreadRow, threadRow, toThread } from './run-rows.ts';
import { threadLost } from './store-errors.ts';

/** A thread in the tables, within a transaction. @throws {WorkflowError} `JOURNAL_CORRUPT`. */
export function findThread(db: SqliteDatabase, threadId: string, reads: RunPlace['reads']): FoundThread {
  const row = db.one<Stored<ThreadRow>>('SELECT * FROM threads WHERE id = ?', threadId);
  if (row) checkThread(row);
  const firstRun = (condition: string): Pick<RunRow, 'id'> | undefined =>
    db.one(`SELECT id FROM runs WHERE thread = ? ${condition} ORDER BY n LIMIT 1`, threadId);
  const first = reads === 'queue' ? firstRun("AND status = 'queued'") : undefined;
  return {
    record: row && toThread(row),
    firstQueued: first?.id,
    lost: row === undefined && firstRun('') ? threadLost(threadId) : undefined,
  };
}

/** Adds a thread, or changes it. */
export function saveThread(db: SqliteDatabase, thread: ThreadRecord): void {
  const { id, workflow, revision, state, active_run, title, checksum } = threadRow(thread);
  // first: the pages of the new state are taken before those of the old one are given back, and the file would be as large as both
  if (state.length > largeState) db.run("UPDATE threads SET state = '' WHERE id = ?", id);
  db.run(
    `INSERT INTO threads (id, workflow, revision, state, active_run, title, checksum) VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET revision = excluded.revision, state = excluded.state, active_run = excluded.active_run,
       title = excluded.title, checksum = excluded.checksum`,
    ...[id, workflow, revision, state, active_run, title, checksum],
  );
}

/** A row that takes pages of its own. */
const largeState = 1_000;
