import type { Json } from '../../core/ports/json.ts';
import type { ThreadRecord } from '../../core/ports/run-store.ts';
import { openThread, type Stored, type ThreadRow, threadRow } from '../rows/run-rows.ts';
import { type ThreadPart, threadParts } from '../rows/thread-parts.ts';
import type { PostgresSession } from './database/postgres-database.ts';
import { dollars, threadColumns, valuesOf } from './postgres-rows.ts';
import type { PostgresTables } from './postgres-schema.ts';

/** Threads in the tables, with the parts of their states. */
export interface PostgresThreads {
  /**
   * Completes the thread whose row `find` reads. Its parts are read after the row; if another store has changed both in between, the row is
   * read again.
   *
   * @throws {WorkflowError} `JOURNAL_CORRUPT`.
   */
  read<TRow extends Stored<ThreadRow>>(
    session: PostgresSession,
    find: () => Promise<TRow | undefined>,
  ): Promise<{ readonly row: TRow; readonly record: ThreadRecord } | undefined>;
  /** Row of a thread whose stored state is `before`; `undefined` if its parts change, too. */
  rowOf(thread: ThreadRecord, before: Json | undefined): Stored<ThreadRow> | undefined;
  /**
   * Runs within a transaction.
   * @param isNew makes the save fail if another store has created the thread meanwhile; the caller then reads all again.
   */
  save(session: PostgresSession, thread: ThreadRecord, before: Json | undefined, isNew: boolean): Promise<void>;
}

export function postgresThreads({ threads, threadParts: parts }: PostgresTables): PostgresThreads {
  const states = threadParts();
  const statements = {
    parts: `SELECT name, items FROM ${parts} WHERE thread = $1 AND name = ANY($2::text[])`,
    addPart: `INSERT INTO ${parts} (thread, name, items) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`,
    removeParts: `DELETE FROM ${parts} WHERE thread = $1 AND name = ANY($2::text[])`,
    save: `UPDATE ${threads} SET workflow = $2, revision = $3, state = $4, active_run = $5, title = $6, lists = $7, checksum = $8 WHERE id = $1`,
    add: `INSERT INTO ${threads} (${threadColumns.join(', ')}) VALUES (${dollars(threadColumns)})`,
  };
  const readParts = async (session: PostgresSession, id: string, names: readonly string[]): Promise<readonly ThreadPart[]> => {
    const rows = names.length === 0 ? [] : await session.all(statements.parts, id, names);
    return rows.map(({ name, items }) => ({ name: name ?? '', items: items ?? '' }));
  };

  return {
    async read(session, find) {
      let row = await find();
      while (row) {
        const opened = openThread(states, row);
        const found = await readParts(session, row.id, opened.missing);
        try {
          return { row, record: opened.read(found) };
        } catch (cause) {
          const now = await find();
          if (now?.checksum === row.checksum) throw cause;
          row = now;
        }
      }
      return undefined;
    },
    rowOf(thread, before) {
      const packed = states.pack(thread.id, thread.state, before);
      return packed.added.length + packed.removed.length === 0 ? threadRow(thread, packed) : undefined;
    },
    async save(session, thread, before, isNew) {
      const packed = states.pack(thread.id, thread.state, before);
      const row = threadRow(thread, packed);
      await session.all(isNew ? statements.add : statements.save, ...valuesOf(row, threadColumns));
      for (const { name, items } of packed.added) await session.all(statements.addPart, thread.id, name, items);
      if (packed.removed.length > 0) await session.all(statements.removeParts, thread.id, packed.removed);
    },
  };
}
