import type { SqliteConnection } from './sqlite-connection.ts';

/** Checkpoints the log into the file and truncates it. @throws SQLite's `database is locked` while another connection reads. */
export function emptyLog(db: SqliteConnection): void {
  const log = db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get() as { readonly busy?: number } | undefined;
  // a reader; the caller retries
  if (log?.busy === 1) throw Object.assign(new Error('database is locked'), { errcode: 5, code: 'SQLITE_BUSY' });
}
