import { assertFileKind, type SqliteFileKind } from './sqlite-file-kind.ts';

/**
 * Calls `act` while no other connection has the file open. Its log was merged into it and removed before.
 *
 * @throws {WorkflowError} `STORE_VERSION` for a file of another kind; SQLite's error if the file is in use.
 */
export function withUnusedFile(path: string, kind: SqliteFileKind, act: () => void): void {
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
  const db = new DatabaseSync(path, { timeout: 0 });
  try {
    assertFileKind(db, path, kind);
    // every open connection holds a shared lock, so this fails while there is another one
    db.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT; PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE');
    act();
  } finally {
    db.close();
  }
}
