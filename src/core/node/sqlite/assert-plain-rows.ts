import { WorkflowError } from '../../errors/errors.ts';
import type { SqliteConnection } from './sqlite-connection.ts';

/**
 * Checks the row format of a database handed in by the caller: rows must be objects and whole numbers must be numbers.
 * @throws {WorkflowError} `OPTION_INVALID`.
 */
export function assertPlainRows(db: SqliteConnection): void {
  const row = db.prepare('SELECT 1 AS one').get();
  const isList = Array.isArray(row);
  if (!isList && (row as { readonly one?: unknown } | undefined)?.one === 1) return;
  throw new WorkflowError({
    code: 'OPTION_INVALID',
    message: isList ? 'The database returns rows as arrays.' : 'The database returns integers as bigints.',
    hint: isList
      ? 'Open it without returnArrays. Rows are read by column name.'
      : 'Open it without readBigInts (node:sqlite) or safeIntegers (bun:sqlite, better-sqlite3).',
    data: { option: 'database' },
  });
}
