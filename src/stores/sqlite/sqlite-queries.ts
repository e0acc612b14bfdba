import type { SqliteDatabase } from '../../core/node/sqlite/sqlite-database.ts';
import type { RunStorage } from '../../core/ports/run-storage.ts';
import { maxCrashes, type RunGroup, type StoreQuery } from '../../core/ports/run-store.ts';
import { afterPrefix } from '../../engine/store/matches-query.ts';
import { failureCodeSql, fleetStateSql } from '../rows/fleet-state-sql.ts';
import { type RunRow, type Stored, toRecord } from '../rows/run-rows.ts';
import { stateBranches } from '../rows/state-branches.ts';
import { rowsPerRun } from './sqlite-rows.ts';
import type { SqliteRuns } from './sqlite-runs.ts';

// For a driven run, the tail has the time of the last entry. Each entry resets the count of crashes, and moves the tail.
const tailSql = `SELECT at FROM journal WHERE id > runs.n * ${rowsPerRun} AND id <= (runs.n + 1) * ${rowsPerRun} ORDER BY id DESC LIMIT 1`;
const updatedAtSql = `CASE WHEN status = 'running' THEN (${tailSql}) ELSE updated_at END`;
const isUnmoved = `EXISTS (SELECT 1 FROM journal WHERE id = runs.n * ${rowsPerRun} + runs.seq + 1 AND kind = 'tail')`;
const parkedSql = `crashes >= ${maxCrashes} AND ${isUnmoved}`;

// `+` hides the column from the index of statuses, so that the smaller index of failures is used
const failedEnd = "+status = 'done' AND failure IS NOT NULL";

/** Lists the runs of a SQLite file. */
export const sqliteList =
  (db: SqliteDatabase, runs: SqliteRuns): RunStorage['list'] =>
  ({ limit, ...query }) =>
    db.read(() => {
      const { selects, values } = toSelects(query);
      if (selects.length === 0) return [];
      // each part is in the order of an index, so that SQLite merges them instead of sorting
      const sql = `${selects.join(' UNION ALL ')} ORDER BY n DESC LIMIT ?`;
      return db.all<Stored<RunRow>>(sql, ...values, Number.isFinite(limit) ? limit : -1).map((row) => toRecord(runs.latest(row)));
    });

type GroupRow = Omit<RunGroup, 'code'> & { readonly code: string | null };

/** Counts the runs of a SQLite file. */
export const sqliteTally =
  (db: SqliteDatabase): NonNullable<RunStorage['tally']> =>
  () =>
    db.read(() => {
      const groups = db.all<GroupRow>(`SELECT workflow, ${fleetStateSql(parkedSql)} AS state, ${failureCodeSql} AS code, count(*) AS count,
        min(${updatedAtSql}) AS oldestAt FROM runs GROUP BY 2, 3, 1`);
      return {
        threads: db.one<{ readonly threads: number }>('SELECT count(*) AS threads FROM threads')?.threads ?? 0,
        runs: groups.map(({ code, ...group }) => ({ ...group, ...(code === null ? {} : { code }) })),
      };
    });

/** Contains only the fields of the query, so that the matching index is used. */
function toSelects(query: StoreQuery): { readonly selects: readonly string[]; readonly values: readonly (string | number)[] } {
  const { workflow, threadId, code, updatedBefore, dueBefore, idPrefix, before } = query;
  const parts = [
    ['workflow = ?', workflow],
    ['thread = ?', threadId],
    ['failure = ?', code],
    [`${updatedAtSql} < ?`, updatedBefore],
    ['wake_at <= ?', dueBefore],
    ['id >= ?', idPrefix],
    ['id < ?', afterPrefix(idPrefix)],
    ['n < (SELECT n FROM runs WHERE id = ?)', before],
  ] as const;
  const asked = parts.flatMap(([sql, value]) => (value === undefined ? [] : [{ sql, value }]));
  const selects = stateBranches(query, { parked: parkedSql, failedEnd }).map((branch) => {
    const conditions = [...(branch === undefined ? [] : [branch]), ...asked.map(({ sql }) => sql)];
    return `SELECT * FROM runs${conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}`}`;
  });
  return { selects, values: selects.flatMap(() => asked.map(({ value }) => value)) };
}
