import type { RunStore } from '../ports/run-store.ts';
import type { SqliteConnection } from '../sqlite/sqlite-connection.ts';
import { processOwners } from './process-owners.ts';
import { runRules } from './run-rules.ts';
import { sqliteStorage } from './sqlite-storage.ts';
import { StoreDatabase } from './store-database.ts';

export type { SqliteConnection, SqliteStatement } from '../sqlite/sqlite-connection.ts';

export interface SqliteStoreOptions {
  /** The database file; its folder is made when it is missing. `:memory:` = none. Names that SQLite reads in another way are refused. */
  readonly path?: string;
  /**
   * An open database instead of a path, empty or made by a store: a `DatabaseSync` of `node:sqlite` (Node, Deno, Bun), or a `Database` of
   * `bun:sqlite` or `better-sqlite3`. Whoever hands it in closes it after the store.
   */
  readonly database?: SqliteConnection;
  /**
   * `full`: a commit survives a power cut. `normal`: it survives a crash of the process, and a power cut may lose the last ones.
   * @default 'full'
   */
  readonly durability?: 'full' | 'normal';
  /** How long an operation waits while another process locks the file, in milliseconds; meanwhile this process goes on. @default 5_000 */
  readonly busyTimeoutMs?: number;
}

/**
 * Keeps runs in a SQLite file, by the `node:sqlite` of Node, Deno or Bun. Any number of processes on one machine may share it. A journal has at most
 * 999,999 entries.
 *
 * @throws {WorkflowError} `OPTION_INVALID` unless there is either a good path or a database that tells columns by name and numbers as numbers; `STORE_UNAVAILABLE` when the file cannot be
 *   opened; `STORE_VERSION` when a newer version of the package, or another program, made it.
 * @example const store = sqliteStore({ path: 'agents.db' });
 */
export function sqliteStore(options: SqliteStoreOptions): RunStore {
  return runRules(sqliteStorage(new StoreDatabase(options)), processOwners);
}
