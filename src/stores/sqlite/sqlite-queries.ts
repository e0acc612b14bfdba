import type { SqliteDatabase } from '../../core/node/sqlite/sqlite-database.ts';
import type { RunStorage } from '../../core/ports/run-storage.ts';
import { maxCrashes, type RunGroup, type StoreQuery } from '../../core/ports/run-store.ts';
import { afterPrefix } from '../../engine/store/matches-query.ts';
import { failureCodeSql, fleetStateSql } from '../rows/fleet-state-sql.ts';
import { resultStatusSql, storedStatus } from '../rows/result-status-sql.ts';
import { type RunRow, type Stored, toRecord } from '../rows/run-rows.ts';
import { rowsPerRun } from './sqlite-rows.ts';
import type { SqliteRuns } from './sqlite-runs.ts';

// For a driven run, the tail has the time of the last entry. Each entry resets the count of crashes, and moves the tail.
const tailSql = `SELECT at FROM journal WHERE id > runs.n * ${rowsPerRun} AND id <= (runs.n + 1) * ${rowsPerRun} ORDER BY id DESC LIMIT 1`;
const updatedAtSql = `CASE WHEN status = 'running' THEN (${tailSql}) ELSE updated_at END`;
const isUnmoved = `EXISTS (SELECT 1 FROM journal WHERE id = runs.n * ${rowsPerRun} + runs.seq + 1 AND kind = 'tail')`;
const stateSql = fleetStateSql(`crashes >= ${maxCrashes} AND ${isUnmoved}`);

/** Lists the runs of a SQLite file. */
export const sqliteList =
  (db: SqliteDatabase, runs: SqliteRuns): RunStorage['list'] =>
  ({ limit, ...query }) =>
    db.read(() => {
      const { where, values } = toCondition(query);
      const sql = `SELECT * FROM runs${where} ORDER BY n DESC LIMIT ?`;
      return db.all<Stored<RunRow>>(sql, ...values, Number.isFinite(limit) ? limit : -1).map((row) => toRecord(runs.latest(row)));
    });

type GroupRow = Omit<RunGroup, 'code'> & { readonly code: string | null };

/** Counts the runs of a SQLite file. */
export const sqliteTally =
  (db: SqliteDatabase): NonNullable<RunStorage['tally']> =>
  () =>
    db.read(() => {
      const groups = db.all<GroupRow>(`SELECT workflow, ${stateSql} AS state, ${failureCodeSql} AS code, count(*) AS count,
        min(${updatedAtSql}) AS oldestAt FROM runs GROUP BY 2, 3, 1`);
      return {
        threads: db.one<{ readonly threads: number }>('SELECT count(*) AS threads FROM threads')?.threads ?? 0,
        runs: groups.map(({ code, ...group }) => ({ ...group, ...(code === null ? {} : { code }) })),
      };
    });

/** Contains only the fields of the query, so that the matching index is used. */
function toCondition({ workflow, threadId, status, resultStatus, dueBefore, idPrefix, before }: StoreQuery): {
  where: string;
  values: (string | number)[];
} {
  const parts = [
    ['workflow = ?', workflow],
    ['thread = ?', threadId],
    ['status = ?', status ?? storedStatus(resultStatus)],
    [`${resultStatusSql} = ?`, resultStatus],
    ['wake_at <= ?', dueBefore],
    ['id >= ?', idPrefix],
    ['id < ?', afterPrefix(idPrefix)],
    ['n < (SELECT n FROM runs WHERE id = ?)', before],
  ] as const;
  const asked = parts.flatMap(([sql, value]) => (value === undefined ? [] : [{ sql, value }]));
  const where = asked.length === 0 ? '' : ` WHERE ${asked.map(({ sql }) => sql).join(' AND ')}`;
  return { where, values: asked.map(({ value }) => value) };
}
