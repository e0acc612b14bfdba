import { existsSync } from 'node:fs';
import type { RunStore } from '../index.ts';
import { isPostgresAddress, postgresAddressName } from '../util/postgres-address.ts';
import { sqlitePathIssue } from '../util/sqlite-path.ts';
import { UsageError } from './usage-error.ts';

// What `--db` names: a file, or the address of a PostgreSQL database.

export const defaultDb = '.agent-machines/agents.db';

/** What is wrong with it: the rest of a sentence. `undefined` for a good one. */
export function databaseIssue(db: string): string | undefined {
  if (!isPostgresAddress(db)) return sqlitePathIssue(db);
  // not as the others say it, for they repeat what was given, with its password
  if (postgresAddressName(db) === undefined) throw new UsageError('--db is no address of PostgreSQL: postgres://user@host:5432/database');
  return undefined;
}

/** As it may be shown, and typed again: the password comes from `PGPASSWORD`, or from a password file. */
export const shownDatabase = (db: string): string => postgresAddressName(db) ?? db;

/** A file that is there; of a server, only asking tells. */
export const mayBeThere = (db: string): boolean => isPostgresAddress(db) || existsSync(db);

/** The file beside which that stands which no database of runs keeps: uploads, memories, indexes. */
export const fileBeside = (db: string): string => (isPostgresAddress(db) ? defaultDb : db);

/**
 * Opens it, and loads what that needs. A server is asked at once: a worker would wait for one that cannot come. Its runs are told as spans
 * where telemetry was started.
 */
export async function openDatabase(db: string): Promise<RunStore> {
  const { traced } = await import('./telemetry.ts');
  if (!isPostgresAddress(db)) return traced((await import('../stores/sqlite-store.ts')).sqliteStore({ path: db }));
  const { postgresStore } = await import('../stores/postgres-store.ts');
  const store = postgresStore({ connectionString: db });
  try {
    await store.lost([]);
  } catch (cause) {
    await store.close();
    throw cause;
  }
  return traced(store);
}
