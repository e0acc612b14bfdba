import type { RunStatus } from '../../core/ports/run-store.ts';
import { resultStatusSql } from '../rows/result-status-sql.ts';
import { parkedRuns, type StoreStatus, stateOf, waitingStatuses } from '../upkeep/store-status.ts';
import type { PostgresDatabase } from './database/postgres-database.ts';
import { type PostgresTables, postgresVersions } from './postgres-schema.ts';
import { type PostgresPlaceOptions, readPostgres } from './read-postgres.ts';

/** Reads the status of the tables in a database without creating or changing anything. @throws {WorkflowError} as `readPostgres`. */
export const postgresStatus = (place: PostgresPlaceOptions): Promise<StoreStatus> =>
  readPostgres(place, async (db, tables): Promise<StoreStatus> => {
    const known = postgresVersions.version;
    const there = await db.one(
      'SELECT to_regclass($1) IS NOT NULL AS about, to_regclass($2) IS NOT NULL AS runs',
      tables.about,
      tables.runs,
    );
    if (there?.about !== 't') return { kind: 'postgres', state: there?.runs === 't' ? 'foreign' : 'empty', known };
    const version = Number((await db.one(`SELECT version FROM ${tables.about}`))?.version ?? 0);
    if (version === 0) return { kind: 'postgres', state: 'empty', known };
    const state = stateOf(version, postgresVersions);
    if (state === 'newer' || state === 'unsupported') return { kind: 'postgres', state, version, known };
    return { kind: 'postgres', state, version, known, ...(await contentsOf(db, tables)) };
  });

async function contentsOf(
  db: PostgresDatabase,
  { schema, runs, threads }: PostgresTables,
): Promise<Pick<StoreStatus, 'bytes' | 'threads' | 'runs' | 'parked' | 'oldestWaiting'>> {
  const size = await db.one(
    `SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0) AS bytes, (SELECT count(*) FROM ${threads}) AS threads
     FROM pg_class c JOIN pg_namespace s ON s.oid = c.relnamespace WHERE s.nspname = $1 AND c.relkind = 'r'`,
    schema,
  );
  const counts = await db.all(`SELECT ${resultStatusSql} AS status, count(*) AS count FROM ${runs} GROUP BY 1`);
  const parked = Number((await db.one(`SELECT count(*) AS count FROM ${runs} WHERE ${parkedRuns}`))?.count);
  const oldest = await db.one(
    `SELECT id, workflow, status, updated_at FROM ${runs} WHERE status IN ${waitingStatuses} ORDER BY updated_at, n LIMIT 1`,
  );
  return {
    bytes: Number(size?.bytes),
    threads: Number(size?.threads),
    runs: Object.fromEntries(counts.map(({ status, count }) => [status ?? '', Number(count)])),
    ...(parked > 0 ? { parked } : {}),
    ...(oldest
      ? {
          oldestWaiting: {
            runId: oldest.id ?? '',
            workflow: oldest.workflow ?? '',
            status: oldest.status as RunStatus,
            since: Number(oldest.updated_at),
          },
        }
      : {}),
  };
}
