import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { assertFileKind, readPragma, type SqliteFileKind } from '../../util/sqlite-file.ts';
import { lockWaitMs } from '../../util/when-unlocked.ts';
import { assertSameEmbedder, type EmbedderMark } from './index-errors.ts';

// Not imported: an old Node lacks it, and would say that before it is said which Node is needed.
const sqlite = process.getBuiltinModule('node:sqlite');

export interface SqliteIndexFileOptions {
  readonly path: string;
  readonly embedder: EmbedderMark;
  /** A loadable extension. */
  readonly extension: string | undefined;
  readonly busyTimeoutMs: number;
}

// Vectors and texts are in tables of their own: who compares vectors does not read texts.
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

// A page holds some vectors, and all of them stay in memory up to 64 MB: they are read by every search.
// What is removed is overwritten: a deleted text is not left in the file.
const pragmas =
  'PRAGMA page_size = 16384; PRAGMA cache_size = -64000; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON; PRAGMA foreign_keys = ON;';

/** An index's file: `agVi`. */
const indexFile: SqliteFileKind = { applicationId: 0x61675669, version: 1 };

/** Opens a file of an index, or makes one. @throws {WorkflowError} `STORE_VERSION`, `INDEX_OF_OTHER_EMBEDDER`; SQLite's own errors. */
export function openSqliteIndexFile({ path, embedder, extension, busyTimeoutMs }: SqliteIndexFileOptions): DatabaseSync {
  if (path !== ':memory:') mkdirSync(dirname(path), { recursive: true });
  const db = new sqlite.DatabaseSync(path, { timeout: Math.min(lockWaitMs, busyTimeoutMs), allowExtension: extension !== undefined });
  try {
    if (extension !== undefined) {
      db.loadExtension(extension);
      db.enableLoadExtension(false);
    }
    assertFileKind(db, path, indexFile); // before the first write
    db.exec(`${pragmas} BEGIN IMMEDIATE`);
    if (readPragma(db, 'user_version') === 0) {
      db.exec(`${tables} PRAGMA user_version = ${indexFile.version}; PRAGMA application_id = ${indexFile.applicationId}`);
      db.prepare('INSERT INTO about VALUES (?, ?)').run(embedder.name, embedder.dimensions);
    }
    db.exec('COMMIT');
    const about = db.prepare('SELECT embedder AS name, dimensions FROM about').get();
    assertSameEmbedder(path, { name: String(about?.name), dimensions: Number(about?.dimensions) }, embedder);
    return db;
  } catch (cause) {
    db.close();
    throw cause;
  }
}
