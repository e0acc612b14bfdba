import { WorkflowError } from '../../core/errors/errors.ts';
import { type StoreVersions, storeTooOld } from '../../core/errors/store-too-old.ts';
import { optionInvalid } from '../../core/util/check-options.ts';
import type { PostgresSession } from './database/postgres-database.ts';

/** Quoted names of the tables of a store. */
export interface PostgresTables {
  readonly schema: string;
  readonly about: string;
  readonly runs: string;
  readonly journal: string;
  readonly threads: string;
  readonly threadParts: string;
  readonly structures: string;
  readonly notes: string;
}

/** @throws {WorkflowError} `OPTION_INVALID` for a name that would need quoting. */
export function postgresTables(schema: unknown): PostgresTables {
  if (typeof schema !== 'string' || !/^[a-z_][a-z0-9_]{0,62}$/.test(schema) || schema.startsWith('pg_')) {
    const message = `The schema ${JSON.stringify(schema)} is not a valid name.`;
    const hint = 'Use 1 to 63 characters of a-z, 0-9 and _. Do not begin with a digit or pg_.';
    throw optionInvalid(message, hint, 'schema');
  }
  const of = (table: string): string => `"${schema}".${table}`;
  return {
    schema,
    about: of('agent_machines'),
    runs: of('runs'),
    journal: of('journal'),
    threads: of('threads'),
    threadParts: of('thread_parts'),
    structures: of('structures'),
    notes: of('notes'),
  };
}

/**
 * Tables of version 3, the oldest that this package reads.
 *
 * Texts use `COLLATE "C"`. The order of a language changes with the system's libraries and would break an index.
 */
const oldestTables = ({ runs, journal, threads, structures, notes }: PostgresTables): readonly string[] => [
  `CREATE TABLE ${runs} (
     n bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, id text COLLATE "C" NOT NULL UNIQUE, workflow text NOT NULL, version text NOT NULL,
     structure text NOT NULL, thread text COLLATE "C", thread_revision bigint, status text COLLATE "C" NOT NULL, seq integer NOT NULL,
     head text NOT NULL, epoch bigint NOT NULL, crashes bigint NOT NULL, active_ms double precision NOT NULL,
     started_at double precision NOT NULL, updated_at double precision NOT NULL, wake_at double precision, failure text,
     checksum text NOT NULL, owner text, expires_at double precision, lease_ms double precision, heartbeat bigint NOT NULL,
     priority integer
   ) WITH (fillfactor = 70)`, // free space for the run's row, which every append updates in place
  `CREATE INDEX runs_of_thread ON ${runs} (thread, n) WHERE thread IS NOT NULL`,
  `CREATE INDEX runs_to_wake ON ${runs} (wake_at) WHERE wake_at IS NOT NULL`,
  `CREATE INDEX runs_of_status ON ${runs} (status, n)`,
  `CREATE TABLE ${journal} (
     run bigint NOT NULL, seq integer NOT NULL, key text NOT NULL, kind text NOT NULL, outcome text NOT NULL, events text NOT NULL,
     epoch bigint NOT NULL, at double precision NOT NULL, checksum text NOT NULL, PRIMARY KEY (run, seq))`,
  `CREATE TABLE ${threads} (
     id text COLLATE "C" PRIMARY KEY, workflow text NOT NULL, revision bigint NOT NULL, state text NOT NULL, active_run text, title text,
     checksum text NOT NULL)`,
  `CREATE TABLE ${structures} (hash text COLLATE "C" PRIMARY KEY, structure text NOT NULL)`,
  `CREATE TABLE ${notes} (name text COLLATE "C" PRIMARY KEY, note text)`,
];

/** The oldest version of the tables that this package reads, and the newest. */
export const postgresVersions: StoreVersions = { oldest: 3, version: 5 };

/**
 * Statements of each migration after the oldest version, in order.
 *
 * - 4: long lists of a thread's state are stored in parts
 * - 5: whether a waiting run only sleeps; an index of failed runs
 */
const migrations = ({ runs, threads, threadParts }: PostgresTables): readonly (readonly string[])[] => [
  [
    `ALTER TABLE ${threads} ADD COLUMN lists text`,
    `CREATE TABLE ${threadParts} (thread text COLLATE "C" NOT NULL, name text COLLATE "C" NOT NULL, items text NOT NULL,
       PRIMARY KEY (thread, name))`,
  ],
  [
    `ALTER TABLE ${runs} ADD COLUMN sleeps integer`,
    `CREATE INDEX runs_with_failure ON ${runs} (status, n, failure) WHERE failure IS NOT NULL`,
  ],
];

export interface PreparedStore {
  /** Name of the database in error messages. */
  readonly place: string;
  /** Rejects a server that acknowledges commits before they are durable. */
  readonly durable: boolean;
}

/**
 * Creates or migrates the tables within the open transaction. Concurrent callers wait for the schema's new catalog row, or for the lock on
 * the version table.
 *
 * @throws {WorkflowError} `STORE_VERSION`, `OPTION_INVALID`.
 */
export async function preparePostgres(session: PostgresSession, tables: PostgresTables, { place, durable }: PreparedStore): Promise<void> {
  const { schema, about } = tables;
  await assertServer(session, place, durable);
  const found = await session.one('SELECT to_regclass($1) IS NOT NULL AS is_there', about);
  if (found?.is_there === 't' && (await versionOf(session, about, place)) === postgresVersions.version) return;
  if (!(await session.one('SELECT 1 FROM pg_namespace WHERE nspname = $1', schema))) await session.all(`CREATE SCHEMA "${schema}"`);
  await session.all(`CREATE TABLE IF NOT EXISTS ${about} (only_row boolean PRIMARY KEY CHECK (only_row), version integer NOT NULL)`);
  await session.all(`LOCK TABLE ${about} IN EXCLUSIVE MODE`);
  const before = await versionOf(session, about, place); // read again under the lock
  if (before === postgresVersions.version) return;
  const missing = migrations(tables).slice(Math.max(0, before - postgresVersions.oldest));
  for (const statement of [...(before === 0 ? oldestTables(tables) : []), ...missing.flat()]) await session.all(statement);
  await session.all(
    `INSERT INTO ${about} (only_row, version) VALUES (true, $1) ON CONFLICT (only_row) DO UPDATE SET version = excluded.version`,
    postgresVersions.version,
  );
}

async function versionOf(session: PostgresSession, about: string, place: string): Promise<number> {
  const version = Number((await session.one(`SELECT version FROM ${about}`))?.version ?? 0);
  if (version > 0 && version < postgresVersions.oldest) throw storeTooOld(place, version, postgresVersions);
  if (version <= postgresVersions.version) return version;
  throw new WorkflowError({
    code: 'STORE_VERSION',
    message: `The tables of the database ${place} were made by a newer version.`,
    hint: 'Update agent-machines.',
    data: { version, known: postgresVersions.version },
  });
}

async function assertServer(session: PostgresSession, place: string, durable: boolean): Promise<void> {
  const settings = await session.one(
    "SELECT current_setting('server_encoding') AS encoding, current_setting('synchronous_commit') AS commits, current_setting('fsync') AS fsync",
  );
  if (settings?.encoding !== 'UTF8') {
    const message = `The database ${place} uses the encoding ${settings?.encoding}, which lacks some characters.`;
    throw optionInvalid(message, "Create a database with ENCODING 'UTF8'.", 'database');
  }
  if (durable && (settings.commits === 'off' || settings.fsync === 'off')) {
    const what = settings.fsync === 'off' ? 'fsync' : 'synchronous_commit';
    throw new WorkflowError({
      code: 'OPTION_INVALID',
      message: `The database ${place} confirms commits before they are durable, because ${what} is off.`,
      hint: `Turn ${what} on, or pass durability: 'normal' if the server may lose the last commits.`,
      data: { option: 'durability', setting: what },
    });
  }
}
