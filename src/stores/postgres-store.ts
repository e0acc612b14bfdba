import { WorkflowError } from '../errors.ts';
import type { RunStore } from '../ports/run-store.ts';
import type { PostgresClient, PostgresPackage, PostgresPool } from '../postgres/postgres-client.ts';
import { PostgresDatabase } from '../postgres/postgres-database.ts';
import { checkPostgresPlace } from '../postgres/postgres-place.ts';
import { checkInteger } from '../util/check-integer.ts';
import type { HandedIn } from '../util/optional-package.ts';
import { createRunStore } from './create-run-store.ts';
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
} from '../postgres/postgres-client.ts';

export interface PostgresStoreOptions {
  /** `postgres://user@host:5432/database`. What it leaves out comes from `PGHOST`, `PGPASSWORD` and so on, as for every program. */
  readonly connectionString?: string;
  /** A `Pool` of `pg` instead. Whoever hands it in ends it after the store. */
  readonly pool?: PostgresPool;
  /**
   * A connected `Client` of `pg` instead, which is the store's alone while that is open. It is not connected again when its server was gone,
   * and does not listen.
   */
  readonly client?: PostgresClient;
  /** The schema with the store's tables; it is made when it is missing. @default 'agent_machines' */
  readonly schema?: string;
  /** The most connections of a pool that is made here. From two on, one of them listens. @default 10 */
  readonly poolSize?: number;
  /**
   * `full`: a server that acknowledges commits before they are durable (`synchronous_commit` or `fsync` is off) is refused. `normal`: it is
   * not, and a crash of it may lose the last commits.
   * @default 'full'
   */
  readonly durability?: 'full' | 'normal';
  /** There is a pooler in between that gives connections away after each transaction: nothing is prepared, and nobody listens. @default false */
  readonly pooler?: boolean;
  /** How long an operation is tried again while the server is not there, in milliseconds. @default 10_000 */
  readonly patienceMs?: number;
  /** The package `pg`, or what imports it. @default () => import('pg') */
  readonly pg?: HandedIn<PostgresPackage>;
}

/**
 * Keeps runs in a PostgreSQL database, by the package `pg`. Any number of processes on any number of machines may share it. It is opened, and
 * its tables are made, when it is first used. A connection is held for one statement or transaction, never while a model or a human is waited
 * for. Where the server was gone, an operation is done again once it is known that it was not done.
 *
 * @throws {WorkflowError} `OPTION_INVALID` unless there is one good place. On first use: `ADAPTER_MISSING` without `pg`;
 *   `STORE_UNAVAILABLE`; `STORE_VERSION` when a newer version, or another program, made the tables; `OPTION_INVALID` for a server whose
 *   commits are not durable, or a database that is not in UTF-8.
 * @example const store = postgresStore({ connectionString: 'postgres://agents@localhost/agents' });
 */
export function postgresStore(options: PostgresStoreOptions): RunStore {
  const place = checkPostgresPlace(options); // first of all: there may be no options
  const { schema = 'agent_machines', poolSize = 10, durability = 'full', pooler = false, patienceMs = 10_000, pg } = options;
  const { connectionString, pool, client } = options;
  const tables = postgresTables(schema);
  if (durability !== 'full' && durability !== 'normal') {
    const message = `The durability ${JSON.stringify(durability)} is none of full and normal.`;
    throw new WorkflowError({ code: 'OPTION_INVALID', message, hint: "Give 'full' or 'normal'.", data: { option: 'durability' } });
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
  return createRunStore(postgresStorage(database, tables));
}
