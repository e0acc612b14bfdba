import { type SqliteConnection, transaction } from '../../core/node/sqlite/sqlite-connection.ts';
import { readPragma, type SqliteFileKind } from '../../core/node/sqlite/sqlite-file-kind.ts';

/** Tables of version 8, the oldest that this package reads. */
const oldestTables = `CREATE TABLE runs (
     n INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, workflow TEXT NOT NULL, version TEXT NOT NULL, structure TEXT NOT NULL,
     thread TEXT, thread_revision INTEGER, status TEXT NOT NULL, seq INTEGER NOT NULL, head TEXT NOT NULL, epoch INTEGER NOT NULL,
     crashes INTEGER NOT NULL, active_ms REAL NOT NULL, started_at REAL NOT NULL, updated_at REAL NOT NULL, wake_at REAL,
     checksum TEXT NOT NULL, owner TEXT, expires_at REAL, failure TEXT, lease_ms REAL, heartbeat INTEGER NOT NULL DEFAULT 0,
     priority INTEGER
   ) STRICT;
   CREATE INDEX runs_of_thread ON runs (thread, n) WHERE thread IS NOT NULL;
   CREATE INDEX runs_to_wake ON runs (wake_at) WHERE wake_at IS NOT NULL;
   CREATE INDEX runs_of_status ON runs (status, n, workflow);
   CREATE TABLE journal (
     id INTEGER PRIMARY KEY, key TEXT NOT NULL, kind TEXT NOT NULL, outcome TEXT NOT NULL, events TEXT NOT NULL, epoch INTEGER NOT NULL,
     at REAL NOT NULL, checksum TEXT NOT NULL
   ) STRICT;
   CREATE TABLE threads (
     id TEXT PRIMARY KEY, workflow TEXT NOT NULL, revision INTEGER NOT NULL, state TEXT NOT NULL, active_run TEXT, checksum TEXT NOT NULL,
     title TEXT, lists TEXT
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX threads_of_workflow ON threads (workflow);
   CREATE INDEX threads_with_title ON threads (id, title) WHERE title IS NOT NULL;
   CREATE TABLE thread_parts (thread TEXT NOT NULL, name TEXT NOT NULL, items TEXT NOT NULL, PRIMARY KEY (thread, name)) STRICT, WITHOUT ROWID;
   CREATE TABLE structures (hash TEXT PRIMARY KEY, structure TEXT NOT NULL) STRICT, WITHOUT ROWID;
   CREATE TABLE notes (name TEXT PRIMARY KEY, note TEXT NOT NULL) STRICT, WITHOUT ROWID;
   CREATE TABLE file (id TEXT NOT NULL, generation INTEGER NOT NULL) STRICT;
   INSERT INTO file VALUES (lower(hex(randomblob(16))), 0)`;

/** Application id `agMa` of a store file. */
export const storeFile: SqliteFileKind = { applicationId: 0x61674d61, oldest: 8, version: 10 };

/**
 * Each migration after the oldest version, in order.
 *
 * - 9: whether all removed or overwritten text was cleared, and whether the log still contains removed text
 * - 10: whether a waiting run only sleeps; an index of failed runs
 */
const migrations: readonly string[] = [
  `ALTER TABLE file ADD COLUMN scrubbed INTEGER NOT NULL DEFAULT 0;
   ALTER TABLE file ADD COLUMN pending_scrub INTEGER NOT NULL DEFAULT 0`,
  `ALTER TABLE runs ADD COLUMN sleeps INTEGER;
   CREATE INDEX runs_with_failure ON runs (n, failure, status, workflow) WHERE failure IS NOT NULL`,
];

/** Migrates the tables of a store file in one transaction. */
export function migrate(db: SqliteConnection): void {
  if (readPragma(db, 'user_version') === storeFile.version) return;
  transaction(db, 'BEGIN IMMEDIATE', () => {
    // read again under the lock
    const from = readPragma(db, 'user_version');
    if (from === storeFile.version) return;
    if (from === 0) db.exec(oldestTables);
    for (const migration of migrations.slice(Math.max(0, from - storeFile.oldest))) db.exec(migration);
    if (from === 0) db.exec('UPDATE file SET scrubbed = 1'); // a new file contains no old text
    db.exec(`PRAGMA user_version = ${storeFile.version}; PRAGMA application_id = ${storeFile.applicationId}`);
  });
}
