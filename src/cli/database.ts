import { existsSync } from 'node:fs';
import type { EncryptOptions } from '../core/util/key-ring.ts';
import { isPostgresAddress, postgresAddressName } from '../core/util/postgres-address.ts';
import { sqlitePathIssue } from '../core/util/sqlite-path.ts';
import type { RunStore } from '../index.ts';
import { databaseKeys } from './database-key.ts';
import type { OpenResources } from './open-resources.ts';
import { UsageError } from './usage-error.ts';

// Default of `--db`, which takes a file or a PostgreSQL URL.

export const defaultDb = '.agent-machines/agents.db';

/** Describes an invalid `--db`, as the rest of a sentence; `undefined` for a valid one. */
export function databaseIssue(db: string): string | undefined {
  if (!isPostgresAddress(db)) return sqlitePathIssue(db);
  // the driver's message would repeat the URL with its password
  if (postgresAddressName(db) === undefined) throw new UsageError('--db is not a PostgreSQL address: postgres://user@host:5432/database');
  return undefined;
}

/** Printable form of `--db` that can be typed again. The password comes from `PGPASSWORD` or a password file. */
export const shownDatabase = (db: string): string => postgresAddressName(db) ?? db;

/** True if the file exists. For a server, only connecting tells, so it is always true. */
export const databaseMayExist = (db: string): boolean => isPostgresAddress(db) || existsSync(db);

/** File next to which uploads, memories and indexes are stored, because no run database holds them. */
export const localPathOf = (db: string): string => (isPostgresAddress(db) ? defaultDb : db);

/**
 * Opens the database and loads its driver. Connects to a server at once, because a worker would wait forever for an unreachable one. Traces
 * the runs if telemetry was started.
 */
export async function openDatabase(db: string): Promise<RunStore> {
  const { traced } = await import('./telemetry.ts');
  return traced(await openWith(db, databaseKeys()));
}

/** Opens the database as `openDatabase`, with these keys and without traces. */
export async function openWith(db: string, encrypt: EncryptOptions | undefined): Promise<RunStore> {
  const keys = encrypt ? { encrypt } : {};
  if (!isPostgresAddress(db)) return (await import('../stores/sqlite/sqlite-store.ts')).sqliteStore({ path: db, ...keys });
  const { postgresStore } = await import('../stores/postgres/postgres-store.ts');
  const store = postgresStore({ connectionString: db, ...keys });
  try {
    await store.lost([]);
  } catch (cause) {
    await store.close();
    throw cause;
  }
  return store;
}

/** File of the user memories, next to the run database: `agents.db` → `agents.memory.db`. */
export const memoryPathOf = (db: string): string => `${localPathOf(db).replace(/\.db$/, '')}.memory.db`;

/** Opens the database of `--db`. */
export async function openStore(db: string, opened: OpenResources): Promise<RunStore> {
  const store = await openDatabase(db);
  opened.add(() => store.close());
  return store;
}
