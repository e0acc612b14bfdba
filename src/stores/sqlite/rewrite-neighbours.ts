import { rewriteAround } from '../../core/node/sqlite/rewrite-around.ts';
import type { SqliteDatabase } from '../../core/node/sqlite/sqlite-database.ts';
import { rowsPerRun } from './sqlite-rows.ts';

/** Keys of removed rows. */
export interface RemovedRows {
  readonly runs: readonly { readonly n: number; readonly id: string }[];
  readonly threadId?: string;
}

/** About ten pages. */
const bounds = { maxRows: 100, maxTreeBytes: 40_000, maxTreeBytesOfRow: 4_000 };

/** Clears the copies of removed rows that SQLite leaves in neighboring pages. Runs in the transaction that removes the rows. */
export function rewriteNeighbours(db: SqliteDatabase, { runs, threadId }: RemovedRows): void {
  // Decision 438: `secure_delete` leaves copies that SQLite made when it moved rows.
  for (const { n, id } of runs) {
    rewriteAround(db, { table: 'journal', keys: ['id'], size: 'octet_length(outcome) + octet_length(events)', ...bounds }, n * rowsPerRun);
    rewriteAround(db, { table: 'runs', keys: ['n'], size: '400', ...bounds }, n);
    rewriteAround(db, { table: 'runs', keys: ['id'], size: '400', ...bounds }, id);
  }
  if (threadId === undefined) return;
  rewriteAround(db, { table: 'threads', keys: ['id'], size: 'octet_length(state)', ...bounds }, threadId);
  rewriteAround(db, { table: 'thread_parts', keys: ['thread', 'name'], size: 'octet_length(items)', ...bounds }, threadId);
}
