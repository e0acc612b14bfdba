import { type SqliteConnection, transaction } from '../../core/node/sqlite/sqlite-connection.ts';
import { readPragma, type SqliteFileKind } from '../../core/node/sqlite/sqlite-file-kind.ts';

/** Migrations from each version of the tables to the next. Never change a released one; add another. */
const migrations: readonly string[] = [
  `CREATE TABLE runs (
     n INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, workflow TEXT NOT NULL, version TEXT NOT NULL, structure TEXT NOT NULL,
     thread TEXT, thread_revision INTEGER, status TEXT NOT NULL, seq INTEGER NOT NULL, head TEXT NOT NULL, epoch INTEGER NOT NULL,
     crashes INTEGER NOT NULL, active_ms REAL NOT NULL, started_at REAL NOT NULL, updated_at REAL NOT NULL, wake_at REAL,
     checksum TEXT NOT NULL, owner TEXT, expires_at REAL
   ) STRICT;
   CREATE INDEX runs_of_thread ON runs (thread, n) WHERE thread IS NOT NULL;
   CREATE INDEX runs_to_wake ON runs (wake_at) WHERE wake_at IS NOT NULL;
   CREATE TABLE journal (
     id INTEGER PRIMARY KEY, key TEXT NOT NULL, kind TEXT NOT NULL, outcome TEXT NOT NULL, events TEXT NOT NULL, epoch INTEGER NOT NULL,
     at REAL NOT NULL, checksum TEXT NOT NULL
   ) STRICT;
   CREATE TABLE threads (
     id TEXT PRIMARY KEY, workflow TEXT NOT NULL, revision INTEGER NOT NULL, state TEXT NOT NULL, active_run TEXT, checksum TEXT NOT NULL
   ) STRICT, WITHOUT ROWID;
   CREATE TABLE structures (hash TEXT PRIMARY KEY, structure TEXT NOT NULL) STRICT, WITHOUT ROWID;`,
  // 2: a takeover gives a driven run a tail; the version number excludes programs without tails
  '',
  // 3: failure of a run, columns that judge a lease, and a row that distinguishes this file from other files and older copies
  `ALTER TABLE runs ADD COLUMN failure TEXT;
   ALTER TABLE runs ADD COLUMN lease_ms REAL;
   ALTER TABLE runs ADD COLUMN heartbeat INTEGER NOT NULL DEFAULT 0;
   CREATE TABLE file (id TEXT NOT NULL, generation INTEGER NOT NULL) STRICT;
   INSERT INTO file VALUES (lower(hex(randomblob(16))), 0);`,
  // 4: shorter entries; the version number excludes programs that cannot read them
  '',
  // 5: names of threads, and indexes for the frequent queries of a server
  `ALTER TABLE threads ADD COLUMN title TEXT;
   CREATE INDEX threads_of_workflow ON threads (workflow);
   CREATE INDEX threads_with_title ON threads (id, title) WHERE title IS NOT NULL;
   CREATE INDEX runs_of_status ON runs (status, n, workflow);`,
  // 6: priority of a run
  'ALTER TABLE runs ADD COLUMN priority INTEGER',
  // 7: notes shared by all processes that use the file
  'CREATE TABLE notes (name TEXT PRIMARY KEY, note TEXT NOT NULL) STRICT, WITHOUT ROWID',
  // 8: long lists of a thread's state are stored in parts
  `ALTER TABLE threads ADD COLUMN lists TEXT;
   CREATE TABLE thread_parts (thread TEXT NOT NULL, name TEXT NOT NULL, items TEXT NOT NULL, PRIMARY KEY (thread, name)) STRICT, WITHOUT ROWID`,
  // 9: whether all removed or overwritten text was cleared, and whether the log still contains removed text
  `ALTER TABLE file ADD COLUMN scrubbed INTEGER NOT NULL DEFAULT 0;
   ALTER TABLE file ADD COLUMN pending_scrub INTEGER NOT NULL DEFAULT 0`,
];

/** Application id `agMa` of a store file. */
export const storeFile: SqliteFileKind = { applicationId: 0x61674d61, version: migrations.length };

/** Migrates the tables of a store file in one transaction. */
export function migrate(db: SqliteConnection): void {
  if (readPragma(db, 'user_version') === storeFile.version) return;
  transaction(db, 'BEGIN IMMEDIATE', () => {
    // read again under the lock
    const from = readPragma(db, 'user_version');
    for (const step of migrations.slice(from)) if (step !== '') db.exec(step); // Bun rejects an empty statement
    if (from === 0) db.exec('UPDATE file SET scrubbed = 1'); // a new file contains no old text
    db.exec(`PRAGMA user_version = ${storeFile.version}; PRAGMA application_id = ${storeFile.applicationId}`);
  });
}
