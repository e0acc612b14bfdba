import { emptyLog } from '../../core/node/sqlite/empty-log.ts';
import { rewriteFile } from '../../core/node/sqlite/rewrite-file.ts';
import type { SqliteConnection } from '../../core/node/sqlite/sqlite-connection.ts';
import { readPragma } from '../../core/node/sqlite/sqlite-file-kind.ts';

/**
 * Makes a connection overwrite the data that it deletes or replaces. Enabled only for a removal, it would leave the text of earlier
 * updates.
 *
 * @returns false if the connection does not support it. A removal then rewrites the whole file.
 */
export function clearRemoved(db: SqliteConnection): boolean {
  db.exec('PRAGMA secure_delete = ON');
  return readPragma(db, 'secure_delete') === 1;
}

/** Clears removed data from a file and its log. @throws SQLite's `database is locked` while another connection reads. */
export function scrubFile(db: SqliteConnection, clears: boolean): void {
  const { scrubbed } = db.prepare('SELECT scrubbed FROM file').get() as { readonly scrubbed: number };
  if (scrubbed === 1) emptyLog(db);
  else rewriteFile(db);
  db.exec(`UPDATE file SET pending_scrub = 0${clears ? ', scrubbed = 1' : ''}`);
}

/** Finishes the scrub of a process that died after a removal, unless the file is in use. */
export function finishScrub(db: SqliteConnection, clears: boolean): void {
  const { pending } = db.prepare('SELECT pending_scrub AS pending FROM file').get() as { readonly pending: number };
  if (pending === 0) return;
  try {
    scrubFile(db, clears);
  } catch {
    // the file is in use, or the disk is full: the scrub stays pending for the next removal or open
  }
}
