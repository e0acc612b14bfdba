import { existsSync, statSync } from 'node:fs';
import type { SqliteConnection } from '../../core/node/sqlite/sqlite-connection.ts';
import { readPragma } from '../../core/node/sqlite/sqlite-file-kind.ts';
import type { RunStatus } from '../../core/ports/run-store.ts';
import { resultStatusSql } from '../rows/result-status-sql.ts';
import { parkedRuns, type StoreStatus, stateOf, type WaitingRun, waitingStatuses } from '../upkeep/store-status.ts';
import { readSqlite } from './read-sqlite.ts';
import { rowsPerRun } from './sqlite-rows.ts';
import { storeFile } from './sqlite-schema.ts';

/** Reads the status of a file without creating or changing anything. @throws {WorkflowError} `STORE_UNAVAILABLE`. */
export async function sqliteStatus(path: string): Promise<StoreStatus> {
  const known = storeFile.version;
  if (!existsSync(path)) return { kind: 'sqlite', state: 'missing', known };
  const log = statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  const size = { bytes: statSync(path).size + log, logBytes: log };
  return readSqlite(path, (db) => ({ kind: 'sqlite', known, ...size, ...contentsOf(db) }));
}

const count = (db: SqliteConnection, sql: string): number => Number((db.prepare(sql).get() as { readonly count?: unknown }).count);

function contentsOf(
  db: SqliteConnection,
): Pick<StoreStatus, 'state' | 'version' | 'generation' | 'toScrub' | 'threads' | 'runs' | 'parked'> {
  if (count(db, 'SELECT count(*) AS count FROM sqlite_schema') === 0) return { state: 'empty' };
  if (readPragma(db, 'application_id') !== storeFile.applicationId) return { state: 'foreign' };
  const version = readPragma(db, 'user_version');
  const state = stateOf(version, storeFile);
  if (state === 'newer' || state === 'unsupported') return { state, version };
  const runs = db.prepare(`SELECT ${resultStatusSql} AS status, count(*) AS count FROM runs GROUP BY 1`).all() as readonly {
    readonly status: RunStatus;
    readonly count: number;
  }[];
  const oldest = db
    .prepare(
      `SELECT id AS runId, workflow, status, updated_at AS since FROM runs WHERE status IN ${waitingStatuses} ORDER BY updated_at, n LIMIT 1`,
    )
    .get() as WaitingRun | undefined;
  // each entry resets the count of crashes; for a driven run, only the journal has the entry
  const parked = count(
    db,
    `SELECT count(*) AS count FROM runs WHERE ${parkedRuns} AND NOT EXISTS
     (SELECT 1 FROM journal WHERE journal.id > runs.n * ${rowsPerRun} + runs.seq + 1 AND journal.id < (runs.n + 1) * ${rowsPerRun})`,
  );
  return {
    state,
    version,
    generation: count(db, 'SELECT generation AS count FROM file'),
    ...(state === 'current' && count(db, 'SELECT scrubbed = 1 AND pending_scrub = 0 AS count FROM file') === 1 ? {} : { toScrub: true }),
    threads: count(db, 'SELECT count(*) AS count FROM threads'),
    runs: Object.fromEntries(runs.map((row) => [row.status, row.count])),
    ...(parked > 0 ? { parked } : {}),
    ...(oldest ? { oldestWaiting: { ...oldest } } : {}),
  };
}
