import type { DatabaseSync } from 'node:sqlite';
import { WorkflowError } from '../errors.ts';

/** The step from each version of the tables to the next. Never change one that was released: add one. */
const migrations: readonly string[] = [
  `CREATE TABLE runs (
     n INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, workflow TEXT NOT NULL, version TEXT NOT NULL, structure TEXT NOT NULL,
     thread TEXT, thread_revision INTEGER, status TEXT NOT NULL, seq INTEGER NOT NULL, head BLOB NOT NULL, epoch INTEGER NOT NULL,
     crashes INTEGER NOT NULL, active_ms INTEGER NOT NULL, started_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, wake_at INTEGER,
     owner TEXT, expires_at INTEGER
   ) STRICT;
   CREATE INDEX runs_of_thread ON runs (thread, n) WHERE thread IS NOT NULL;
   CREATE INDEX runs_to_wake ON runs (wake_at) WHERE wake_at IS NOT NULL;
   CREATE TABLE journal (
     id INTEGER PRIMARY KEY, key TEXT NOT NULL, kind TEXT NOT NULL, outcome TEXT NOT NULL, events TEXT NOT NULL, epoch INTEGER NOT NULL,
     at INTEGER NOT NULL, checksum BLOB NOT NULL
   ) STRICT;
   CREATE TABLE threads (
     id TEXT PRIMARY KEY, workflow TEXT NOT NULL, revision INTEGER NOT NULL, state TEXT NOT NULL, active_run TEXT, checksum BLOB NOT NULL
   ) STRICT, WITHOUT ROWID;
   CREATE TABLE structures (hash TEXT PRIMARY KEY, structure TEXT NOT NULL) STRICT, WITHOUT ROWID;`,
];

/** `agMa`: tells our files from other SQLite databases. */
const applicationId = 0x61674d61;

/**
 * Brings a database's tables up to date, each step in a transaction.
 * @throws {WorkflowError} `STORE_VERSION` for a newer database, or for one that is not ours.
 */
export function migrate(db: DatabaseSync, path: string): void {
  const read = (pragma: string): number => Number(db.prepare(`PRAGMA ${pragma}`).get()?.[pragma]);
  if (read('user_version') === migrations.length && read('application_id') === applicationId) return;
  db.exec('BEGIN IMMEDIATE');
  try {
    const version = read('user_version'); // again, now that no other process can change it
    const tables = Number(db.prepare('SELECT count(*) AS count FROM sqlite_schema').get()?.count);
    if (version > migrations.length || (tables > 0 && read('application_id') !== applicationId)) {
      throw new WorkflowError({
        code: 'STORE_VERSION',
        message:
          tables > 0 && read('application_id') !== applicationId
            ? `${path} is a database of another program.`
            : `${path} was made by a newer version.`,
        hint: 'Give another file, or update agent-machines.',
        data: { version, known: migrations.length },
      });
    }
    for (const migration of migrations.slice(version)) db.exec(migration);
    db.exec(`PRAGMA user_version = ${migrations.length}; PRAGMA application_id = ${applicationId}; COMMIT`);
  } catch (cause) {
    if (db.isTransaction) db.exec('ROLLBACK');
    throw cause;
  }
}
