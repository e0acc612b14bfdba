import { type SqliteConnection, transaction } from '../sqlite/sqlite-connection.ts';
import { readPragma, type SqliteFileKind } from '../sqlite/sqlite-file-kind.ts';

/** The step from each version of the tables to the next. Never change one that was released: add one. */
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
  // 2: driven runs get tails, one by one as they are taken over; the number alone keeps out programs that know none
  '',
  // 3: how a run failed, what a lease is judged by, and what tells this file, as it is now, from any other and from an older one
  `ALTER TABLE runs ADD COLUMN failure TEXT;
   ALTER TABLE runs ADD COLUMN lease_ms REAL;
   ALTER TABLE runs ADD COLUMN heartbeat INTEGER NOT NULL DEFAULT 0;
   CREATE TABLE file (id TEXT NOT NULL, generation INTEGER NOT NULL) STRICT;
   INSERT INTO file VALUES (lower(hex(randomblob(16))), 0);`,
  // 4: new entries are written shorter; the number alone keeps out programs that cannot read them
  '',
  // 5: threads have names; what a server asks again and again is found without reading all runs
  `ALTER TABLE threads ADD COLUMN title TEXT;
   CREATE INDEX threads_of_workflow ON threads (workflow);
   CREATE INDEX threads_with_title ON threads (id, title) WHERE title IS NOT NULL;
   CREATE INDEX runs_of_status ON runs (status, n, workflow);`,
  // 6: how urgent a run is
  'ALTER TABLE runs ADD COLUMN priority INTEGER',
  // 7: what all who use the file share beside the runs
  'CREATE TABLE notes (name TEXT PRIMARY KEY, note TEXT NOT NULL) STRICT, WITHOUT ROWID',
  // 8: long lists of a thread's state stand in parts
  `ALTER TABLE threads ADD COLUMN lists TEXT;
   CREATE TABLE thread_parts (thread TEXT NOT NULL, name TEXT NOT NULL, items TEXT NOT NULL, PRIMARY KEY (thread, name)) STRICT, WITHOUT ROWID`,
  // 9: whether all that was ever removed or overwritten was cleared, and whether the log still holds what was removed
  `ALTER TABLE file ADD COLUMN scrubbed INTEGER NOT NULL DEFAULT 0;
   ALTER TABLE file ADD COLUMN pending_scrub INTEGER NOT NULL DEFAULT 0`,
];

/** A store's file: `agMa`. */
export const storeFile: SqliteFileKind = { applicationId: 0x61674d61, version: migrations.length };

/** Brings the tables of a database that is ours up to date, all in one transaction. */
export function migrate(db: SqliteConnection): void {
  if (readPragma(db, 'user_version') === storeFile.version) return;
  transaction(db, 'BEGIN IMMEDIATE', () => {
    // the version is read again now that no other process can change it
    const from = readPragma(db, 'user_version');
    for (const step of migrations.slice(from)) if (step !== '') db.exec(step); // Bun refuses nothing at all
    if (from === 0) db.exec('UPDATE file SET scrubbed = 1'); // a new file holds nothing old
    db.exec(`PRAGMA user_version = ${storeFile.version}; PRAGMA application_id = ${storeFile.applicationId}`);
  });
}
