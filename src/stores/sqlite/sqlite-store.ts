import type { SqliteConnection } from '../../core/node/sqlite/sqlite-connection.ts';
import type { RunStore } from '../../core/ports/run-store.ts';
import { processOwners } from '../../engine/store/process-owners.ts';
import { runRules } from '../../engine/store/run-rules.ts';
import { type EncryptOptions, withEncryption } from '../encryption/encrypted-store.ts';
import { sqliteStorage } from './sqlite-storage.ts';
import { StoreDatabase } from './store-database.ts';

export type { SqliteConnection, SqliteStatement } from '../../core/node/sqlite/sqlite-connection.ts';

export interface SqliteStoreOptions {
  /**
   * Database file. A missing folder is created. `:memory:` keeps the database in memory. Names that SQLite interprets specially are
   * rejected.
   */
  readonly path?: string;
  /**
   * Open database instead of a path, empty or created by a store. Accepts a `DatabaseSync` of `node:sqlite` (Node, Deno, Bun), or a
   * `Database` of `bun:sqlite` or `better-sqlite3`. The caller closes it after the store.
   */
  readonly database?: SqliteConnection;
  /**
   * `full`: a commit survives a power cut. `normal`: a commit survives a process crash, but a power cut may lose the last ones.
   * @default 'full'
   */
  readonly durability?: 'full' | 'normal';
  /** Time limit of the wait for a lock of another process, in milliseconds. It does not block this process. @default 5_000 */
  readonly busyTimeoutMs?: number;
  /** Encrypts values, see `encryptedStore`. Default: clear text. */
  readonly encrypt?: EncryptOptions;
}

/**
 * Stores runs in a SQLite file, through the `node:sqlite` of Node, Deno or Bun. Any number of processes on one machine may share it. A
 * journal has at most 999,999 entries.
 *
 * @throws {WorkflowError} `OPTION_INVALID` unless exactly one of a valid path and a database is given; the database must return columns by
 * name and numbers as numbers. `STORE_UNAVAILABLE` if the file cannot be opened; `STORE_VERSION` if a newer version of the package or
 * another program created it.
 * @example const store = sqliteStore({ path: 'agents.db' });
 */
export function sqliteStore(options: SqliteStoreOptions): RunStore {
  return withEncryption(options?.encrypt, () => runRules(sqliteStorage(new StoreDatabase(options)), processOwners));
}
