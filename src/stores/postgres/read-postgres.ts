import { PostgresDatabase } from './database/postgres-database.ts';
import { checkPostgresPlace } from './database/postgres-place.ts';
import { postgresError } from './postgres-error.ts';
import { type PostgresTables, postgresTables } from './postgres-schema.ts';
import type { PostgresStoreOptions } from './postgres-store.ts';

export type PostgresPlaceOptions = Pick<PostgresStoreOptions, 'connectionString' | 'pool' | 'schema' | 'pg'>;

/**
 * Connects to a database read-only: creates no table and changes nothing.
 *
 * @throws {WorkflowError} `STORE_UNAVAILABLE`, `ADAPTER_MISSING`, `OPTION_INVALID`; errors of `work`.
 */
export async function readPostgres<T>(
  { schema = 'agent_machines', ...options }: PostgresPlaceOptions,
  work: (db: PostgresDatabase, tables: PostgresTables) => Promise<T>,
): Promise<T> {
  const place = checkPostgresPlace(options);
  const tables = postgresTables(schema);
  const { connectionString, pool, pg } = options;
  const db = new PostgresDatabase({
    connectionString,
    pool,
    client: undefined,
    pg,
    pooler: true, // prepared statements do not pay off for a single read
    poolSize: 1,
    patienceMs: 2_000,
    prepare: async () => {},
    toError: (cause) => postgresError(place, schema, cause),
  });
  try {
    return await work(db, tables);
  } finally {
    await db.close();
  }
}
