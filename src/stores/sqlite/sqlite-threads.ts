import type { SqliteDatabase } from '../../core/node/sqlite/sqlite-database.ts';
import type { Json } from '../../core/ports/json.ts';
import type { FoundThread, RunPlace } from '../../core/ports/run-storage.ts';
import type { ThreadRecord } from '../../core/ports/run-store.ts';
import { threadLost } from '../../engine/store/store-errors.ts';
import { openThread, type RunRow, type Stored, type ThreadRow, threadRow } from '../rows/run-rows.ts';
import { type ThreadPart, threadParts } from '../rows/thread-parts.ts';

/** Threads in the tables, used within a transaction. */
export interface SqliteThreads {
  /** @throws {WorkflowError} `JOURNAL_CORRUPT`. */
  find(threadId: string, reads: RunPlace['reads']): FoundThread;
  /** Adds a thread, or changes the one whose stored state is `before`. */
  save(thread: ThreadRecord, before: Json | undefined): void;
  remove(threadId: string): void;
}

/** Minimum length of a state that takes pages of its own, in characters. */
const largeState = 1_000;

export function sqliteThreads(db: SqliteDatabase): SqliteThreads {
  const states = threadParts();

  const read = (row: Stored<ThreadRow>): ThreadRecord => {
    const { missing, read } = openThread(states, row);
    const sql = 'SELECT name, items FROM thread_parts WHERE thread = ? AND name IN (SELECT value FROM json_each(?))';
    return read(missing.length === 0 ? [] : db.all<ThreadPart>(sql, row.id, JSON.stringify(missing)));
  };

  return {
    find(threadId, reads) {
      const row = db.one<Stored<ThreadRow>>('SELECT * FROM threads WHERE id = ?', threadId);
      const firstRun = (condition: string): Pick<RunRow, 'id'> | undefined =>
        db.one(`SELECT id FROM runs WHERE thread = ? ${condition} ORDER BY n LIMIT 1`, threadId);
      const first = reads === 'queue' ? firstRun("AND status = 'queued'") : undefined;
      return {
        record: row && read(row),
        firstQueued: first?.id,
        lost: row === undefined && firstRun('') ? threadLost(threadId) : undefined,
      };
    },
    save(thread, before) {
      const packed = states.pack(thread.id, thread.state, before);
      const { id, workflow, revision, state, active_run, title, lists, checksum } = threadRow(thread, packed);
      const { added, removed } = packed;
      for (const { name, items } of added)
        db.run('INSERT OR IGNORE INTO thread_parts (thread, name, items) VALUES (?, ?, ?)', id, name, items);
      for (const name of removed) db.run('DELETE FROM thread_parts WHERE thread = ? AND name = ?', id, name);
      // frees the pages of the old state first; otherwise the file would grow to hold both states
      if (state.length > largeState) db.run("UPDATE threads SET state = '' WHERE id = ?", id);
      db.run(
        `INSERT INTO threads (id, workflow, revision, state, active_run, title, lists, checksum) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT (id) DO UPDATE SET revision = excluded.revision, state = excluded.state, active_run = excluded.active_run,
           title = excluded.title, lists = excluded.lists, checksum = excluded.checksum`,
        ...[id, workflow, revision, state, active_run, title, lists, checksum],
      );
    },
    remove(threadId) {
      db.run('DELETE FROM threads WHERE id = ?', threadId);
      db.run('DELETE FROM thread_parts WHERE thread = ?', threadId);
    },
  };
}
