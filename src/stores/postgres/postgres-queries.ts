import type { FleetState } from '../../core/ports/fleet-state.ts';
import type { RunStorage } from '../../core/ports/run-storage.ts';
import type { RunGroup, StoreQuery } from '../../core/ports/run-store.ts';
import { afterPrefix } from '../../engine/store/matches-query.ts';
import { failureCodeSql, fleetStateSql } from '../rows/fleet-state-sql.ts';
import { resultStatusSql, storedStatus } from '../rows/result-status-sql.ts';
import { runColumns, toRecord } from '../rows/run-rows.ts';
import type { PostgresDatabase, PostgresValue } from './database/postgres-database.ts';
import { toRunRow } from './postgres-rows.ts';
import type { PostgresTables } from './postgres-schema.ts';

/** Lists the runs of a PostgreSQL database. */
export const postgresList =
  (db: PostgresDatabase, { runs }: PostgresTables): RunStorage['list'] =>
  async ({ limit, ...query }) => {
    const { where, values } = toCondition(query, runs);
    const sql = `SELECT ${runColumns.join(', ')} FROM ${runs}${where} ORDER BY n DESC LIMIT $${values.length + 1}::bigint`;
    return (await db.all(sql, ...values, Number.isFinite(limit) ? limit : null)).map((row) => toRecord(toRunRow(row)));
  };

/** Counts the runs of a PostgreSQL database. */
export const postgresTally =
  (db: PostgresDatabase, { runs, threads }: PostgresTables): NonNullable<RunStorage['tally']> =>
  async () => {
    const sql = `SELECT NULL AS workflow, NULL AS state, NULL AS code, count(*) AS count, 0 AS oldest_at FROM ${threads}
      UNION ALL SELECT workflow, ${fleetStateSql()}, ${failureCodeSql}, count(*), min(updated_at) FROM ${runs} GROUP BY 2, 3, 1`;
    const rows = await db.all(sql);
    return {
      threads: Number(rows.find(({ workflow }) => workflow === null)?.count ?? 0),
      runs: rows.flatMap(({ workflow, state, code, count, oldest_at }): readonly RunGroup[] =>
        typeof workflow === 'string'
          ? [
              {
                workflow,
                state: state as FleetState,
                ...(typeof code === 'string' ? { code } : {}),
                count: Number(count),
                oldestAt: Number(oldest_at),
              },
            ]
          : [],
      ),
    };
  };

/** Contains only the fields of the query, so that the matching index is used. */
function toCondition(
  { workflow, threadId, status, resultStatus, dueBefore, idPrefix, before }: StoreQuery,
  runs: string,
): { readonly where: string; readonly values: readonly PostgresValue[] } {
  const parts = [
    [(place: string) => `workflow = ${place}`, workflow],
    [(place: string) => `thread = ${place}`, threadId],
    [(place: string) => `status = ${place}`, status ?? storedStatus(resultStatus)],
    [(place: string) => `${resultStatusSql} = ${place}`, resultStatus],
    [(place: string) => `wake_at <= ${place}`, dueBefore],
    [(place: string) => `id >= ${place}`, idPrefix],
    [(place: string) => `id < ${place}`, afterPrefix(idPrefix)],
    [(place: string) => `n < (SELECT n FROM ${runs} WHERE id = ${place})`, before],
  ] as const;
  const asked = parts.flatMap(([toSql, value]) => (value === undefined ? [] : [{ toSql, value }]));
  const sql = asked.map(({ toSql }, index) => toSql(`$${index + 1}`)).join(' AND ');
  return { where: sql === '' ? '' : ` WHERE ${sql}`, values: asked.map(({ value }) => value) };
}
