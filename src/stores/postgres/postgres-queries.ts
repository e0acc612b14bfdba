import type { FleetState } from '../../core/ports/fleet-state.ts';
import type { RunStorage } from '../../core/ports/run-storage.ts';
import { maxCrashes, type RunGroup, type StoreQuery } from '../../core/ports/run-store.ts';
import { afterPrefix } from '../../engine/store/matches-query.ts';
import { failureCodeSql, fleetStateSql } from '../rows/fleet-state-sql.ts';
import { runColumns, toRecord } from '../rows/run-rows.ts';
import { stateBranches } from '../rows/state-branches.ts';
import type { PostgresDatabase, PostgresValue } from './database/postgres-database.ts';
import { toRunRow } from './postgres-rows.ts';
import type { PostgresTables } from './postgres-schema.ts';

const parkedSql = `crashes >= ${maxCrashes}`;

/** Lists the runs of a PostgreSQL database. */
export const postgresList =
  (db: PostgresDatabase, { runs }: PostgresTables): RunStorage['list'] =>
  async ({ limit, ...query }) => {
    const { selects, values } = toSelects(query, runs);
    if (selects.length === 0) return [];
    const newest = `ORDER BY n DESC LIMIT $${values.length + 1}::bigint`;
    // an order of its own lets each part use its index; the whole would sort all rows
    const sql =
      selects.length === 1 ? `${selects[0]} ${newest}` : `${selects.map((part) => `(${part} ${newest})`).join(' UNION ALL ')} ${newest}`;
    return (await db.all(sql, ...values, Number.isFinite(limit) ? limit : null)).map((row) => toRecord(toRunRow(row)));
  };

/** Counts the runs of a PostgreSQL database. */
export const postgresTally =
  (db: PostgresDatabase, { runs, threads }: PostgresTables): NonNullable<RunStorage['tally']> =>
  async () => {
    const sql = `SELECT NULL AS workflow, NULL AS state, NULL AS code, count(*) AS count, 0 AS oldest_at FROM ${threads}
      UNION ALL SELECT workflow, ${fleetStateSql(parkedSql)}, ${failureCodeSql}, count(*), min(updated_at) FROM ${runs} GROUP BY 2, 3, 1`;
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
function toSelects(query: StoreQuery, runs: string): { readonly selects: readonly string[]; readonly values: readonly PostgresValue[] } {
  const { workflow, threadId, code, updatedBefore, dueBefore, idPrefix, before } = query;
  const parts = [
    [(place: string) => `workflow = ${place}`, workflow],
    [(place: string) => `thread = ${place}`, threadId],
    [(place: string) => `failure = ${place}`, code],
    [(place: string) => `updated_at < ${place}`, updatedBefore],
    [(place: string) => `wake_at <= ${place}`, dueBefore],
    [(place: string) => `id >= ${place}`, idPrefix],
    [(place: string) => `id < ${place}`, afterPrefix(idPrefix)],
    [(place: string) => `n < (SELECT n FROM ${runs} WHERE id = ${place})`, before],
  ] as const;
  const asked = parts.flatMap(([toSql, value]) => (value === undefined ? [] : [{ toSql, value }]));
  const conditions = asked.map(({ toSql }, index) => toSql(`$${index + 1}`));
  const selects = stateBranches(query, { parked: parkedSql, failedEnd: "status = 'done' AND failure IS NOT NULL" }).map((branch) => {
    const all = [...(branch === undefined ? [] : [branch]), ...conditions];
    return `SELECT ${runColumns.join(', ')} FROM ${runs}${all.length === 0 ? '' : ` WHERE ${all.join(' AND ')}`}`;
  });
  return { selects, values: asked.map(({ value }) => value) };
}
