import type { SqliteConnection } from './sqlite-connection.ts';

/** Moves what is in the log to the file, and cuts the log to nothing. @throws SQLite's `database is locked` while somebody reads. */
export function emptyLog(db: SqliteConnection): void {
  const log = db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get() as { readonly busy?: number } | undefined;
  if (log?.busy === 1) throw Object.assign(new Error('database is locked'), { errcode: 5, code: 'SQLITE_BUSY' }); // a reader: again
}
