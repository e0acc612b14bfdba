import type { RunStore } from '../../core/ports/run-store.ts';
import { checkInteger } from '../../core/util/check-integer.ts';
import { optionInvalid } from '../../core/util/check-options.ts';
import type { PackageOrLoader } from '../../core/util/optional-package.ts';
import { createRunStore } from '../../engine/store/create-run-store.ts';
import { type EncryptOptions, withEncryption } from '../encryption/encrypted-store.ts';
import type { PostgresClient, PostgresPackage, PostgresPool } from './database/postgres-client.ts';
import { PostgresDatabase } from './database/postgres-database.ts';
import { checkPostgresPlace } from './database/postgres-place.ts';
import { postgresError } from './postgres-error.ts';
import { postgresTables, preparePostgres } from './postgres-schema.ts';
import { postgresStorage } from './postgres-storage.ts';

export type {
  PooledPostgresClient,
  PostgresClient,
  PostgresNotification,
  PostgresPackage,
  PostgresPool,
  PostgresResult,
  PostgresStatement,
} from './database/postgres-client.ts';

export interface PostgresStoreOptions {
  /** `postgres://user@host:5432/database`. Missing parts come from `PGHOST`, `PGPASSWORD` and the other standard variables. */
  readonly connectionString?: string;
  /** A `Pool` of `pg` instead. The caller ends it after closing the store. */
  readonly pool?: PostgresPool;
  /**
   * A connected `Client` of `pg` instead. The store uses it exclusively while open. It is not reconnected after a connection loss, and does
   * not listen for notifications.
   */
  readonly client?: PostgresClient;
  /** Schema of the store's tables, created if missing. @default 'agent_machines' */
  readonly schema?: string;
  /** Maximum number of connections of the store's own pool. With two or more, one of them listens for notifications. @default 10 */
  readonly poolSize?: number;
  /**
   * `full`: rejects a server that acknowledges commits before they are durable (`synchronous_commit` or `fsync` is off). `normal`: accepts
   * it; a server crash may lose the last commits.
   * @default 'full'
   */
  readonly durability?: 'full' | 'normal';
  /**
   * Set to true behind a pooler that reassigns connections after each transaction. The store then uses no prepared statements and no
   * notifications.
   * @default false
   */
  readonly pooler?: boolean;
  /** Time limit of the retries while the server is unreachable, in milliseconds. @default 10_000 */
  readonly patienceMs?: number;
  /** Encrypts values, see `encryptedStore`. Default: clear text. */
  readonly encrypt?: EncryptOptions;
  /** The package `pg`, or a function that imports it. @default () => import('pg') */
  readonly pg?: PackageOrLoader<PostgresPackage>;
}

/**
 * Stores runs in a PostgreSQL database, through the package `pg`. Any number of processes on any number of machines may share it. The first
 * use opens it and creates the tables. A connection is held for one statement or transaction, never during a call of a model or a wait for
 * a human. After a connection loss, an operation is retried only once it is known to have had no effect.
 *
 * @throws {WorkflowError} `OPTION_INVALID` unless exactly one valid place is given. On first use: `ADAPTER_MISSING` without `pg`;
 * `STORE_UNAVAILABLE`; `STORE_VERSION` if a newer version or another program created the tables. Also `OPTION_INVALID` if the server's
 * commits are not durable, or the database is not in UTF-8.
 * @example const store = postgresStore({ connectionString: 'postgres://agents@localhost/agents' });
 */
export function postgresStore(options: PostgresStoreOptions): RunStore {
  const place = checkPostgresPlace(options); // checked first, because the options may be missing
  const { schema = 'agent_machines', poolSize = 10, durability = 'full', pooler = false, patienceMs = 10_000, pg } = options;
  const { connectionString, pool, client } = options;
  const tables = postgresTables(schema);
  if (durability !== 'full' && durability !== 'normal') {
    const message = `The durability ${JSON.stringify(durability)} is unknown.`;
    throw optionInvalid(message, "Use 'full' or 'normal'.", 'durability');
  }
  const database = new PostgresDatabase({
    connectionString,
    pool,
    client,
    pg,
    pooler,
    poolSize: checkInteger('poolSize', poolSize, { min: 1 }),
    patienceMs: checkInteger('patienceMs', patienceMs, { min: 0 }),
    prepare: (session) => preparePostgres(session, tables, { place, durable: durability === 'full' }),
    toError: (cause) => postgresError(place, schema, cause),
  });
  return withEncryption(options.encrypt, () => createRunStore(postgresStorage(database, tables)));
}
