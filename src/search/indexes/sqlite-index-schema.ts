import { type SqliteConnection, transaction } from '../../core/node/sqlite/sqlite-connection.ts';
import { assertFileKind, readPragma, type SqliteFileKind } from '../../core/node/sqlite/sqlite-file-kind.ts';
import { assertSameEmbedder, type EmbedderMark } from './index-errors.ts';

// Vectors and texts have separate tables, so comparing vectors does not read texts.
const tables = `
  CREATE TABLE about (embedder TEXT NOT NULL, dimensions INTEGER NOT NULL) STRICT;
  CREATE TABLE entries (n INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, text TEXT NOT NULL, metadata TEXT NOT NULL) STRICT;
  CREATE TABLE vectors (n INTEGER PRIMARY KEY REFERENCES entries ON DELETE CASCADE, unit BLOB NOT NULL) STRICT;
  CREATE TABLE facts (
    name TEXT NOT NULL, value TEXT NOT NULL, n INTEGER NOT NULL REFERENCES entries ON DELETE CASCADE, PRIMARY KEY (name, value, n)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX facts_of_entry ON facts (n);
  CREATE VIRTUAL TABLE words USING fts5 (
    tokens, content = '', contentless_delete = 1, tokenize = "unicode61 remove_diacritics 0 categories 'L* M* N* Co'"
  );`;

/** Size of a page, in bytes. */
export const pageBytes = 16_384;

// A page holds several vectors. Up to 64 MB of them stay in memory, because every search reads them all. Removed data is overwritten, so no
// deleted text stays in the file. No foreign keys: rewriting an entry would cascade to its rows.
const pragmas = `PRAGMA page_size = ${pageBytes}; PRAGMA cache_size = -64000; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON; PRAGMA foreign_keys = OFF;`;

/** Application id of an index file: `agVi`. */
export const indexFile: SqliteFileKind = { applicationId: 0x61675669, oldest: 1, version: 1 };

/**
 * Creates the tables of an index in an open database, or checks that they belong to this embedder.
 *
 * @throws {WorkflowError} `STORE_VERSION`, `INDEX_OF_OTHER_EMBEDDER`; SQLite's own errors.
 */
export function prepareSqliteIndex(db: SqliteConnection, name: string, embedder: EmbedderMark): void {
  assertFileKind(db, name, indexFile); // before the first write
  db.exec(pragmas);
  transaction(db, 'BEGIN IMMEDIATE', () => {
    if (readPragma(db, 'user_version') !== 0) return;
    db.exec(`${tables} PRAGMA user_version = ${indexFile.version}; PRAGMA application_id = ${indexFile.applicationId}`);
    db.prepare('INSERT INTO about VALUES (?, ?)').run(embedder.name, embedder.dimensions);
  });
  const about = db.prepare('SELECT embedder AS name, dimensions FROM about').get() as Partial<EmbedderMark> | undefined;
  assertSameEmbedder(name, { name: String(about?.name), dimensions: Number(about?.dimensions) }, embedder);
}
