import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { WorkflowError } from '../errors.ts';
import { assertFileKind } from '../util/sqlite-file.ts';
import { whenUnlocked } from '../util/when-unlocked.ts';
import { migrate, storeFile } from './sqlite-schema.ts';
import { storeUnavailable } from './store-errors.ts';

// Not imported: an old Node lacks it, and would say that before it is said which Node is needed.
const sqlite = process.getBuiltinModule('node:sqlite');

export interface SqliteDatabaseOptions {
  readonly path: string;
  readonly durability: 'full' | 'normal';
  readonly busyTimeoutMs: number;
}

/** One open database file: its statements, prepared once, and its transactions. */
export class SqliteDatabase {
  readonly #path: string;
  readonly #db: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  /** @throws {WorkflowError} `STORE_UNAVAILABLE`, `STORE_VERSION`. */
  constructor(options: SqliteDatabaseOptions) {
    this.#path = options.path;
    this.#db = this.#guard(() => openWhenFree(options));
  }

  sql(text: string): StatementSync {
    const known = this.#statements.get(text);
    if (known) return known;
    const made = this.#db.prepare(text);
    this.#statements.set(text, made);
    return made;
  }

  /** All of `work` is written, or nothing of it. */
  write<T>(work: () => T): T {
    return this.#transaction('BEGIN IMMEDIATE', work);
  }

  /** All that `work` reads is of one moment, whatever other processes write meanwhile. */
  read<T>(work: () => T): T {
    return this.#transaction('BEGIN', work);
  }

  close(): void {
    if (this.#db.isOpen) this.#db.close();
  }

  #transaction<T>(begin: string, work: () => T): T {
    return this.#guard(() => {
      this.sql(begin).run();
      try {
        const result = work();
        this.sql('COMMIT').run();
        return result;
      } catch (cause) {
        if (this.#db.isTransaction) this.sql('ROLLBACK').run();
        throw cause;
      }
    });
  }

  #guard<T>(work: () => T): T {
    try {
      return work();
    } catch (cause) {
      throw WorkflowError.isInstance(cause) ? cause : storeUnavailable(this.#path, cause);
    }
  }
}

function openWhenFree(options: SqliteDatabaseOptions): DatabaseSync {
  const { path, busyTimeoutMs } = options;
  if (path !== ':memory:') mkdirSync(dirname(path), { recursive: true });
  return whenUnlocked(() => {
    const db = new sqlite.DatabaseSync(path, { timeout: busyTimeoutMs });
    try {
      assertFileKind(db, path, storeFile); // before the first write
      db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = ${options.durability.toUpperCase()}`);
      migrate(db);
      return db;
    } catch (cause) {
      db.close();
      throw cause;
    }
  }, busyTimeoutMs);
}
