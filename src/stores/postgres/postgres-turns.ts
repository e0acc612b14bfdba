import type { RunStorage } from '../../core/ports/run-storage.ts';
import type { StoredTurn } from '../../core/ports/run-store.ts';
import { damagedTurn } from '../../engine/store/thread-turns.ts';
import { runColumns, toEntries, toRecord } from '../rows/run-rows.ts';
import type { PostgresDatabase } from './database/postgres-database.ts';
import { entryColumns, toCheckedRunRow, toEntryRow, toRunRow } from './postgres-rows.ts';
import type { PostgresTables } from './postgres-schema.ts';

/** Reads runs of a thread by the index of threads, from its newer or older end, in two statements. */
export const postgresTurns =
  (db: PostgresDatabase, { runs, journal }: PostgresTables, readJournal: RunStorage['journal']): NonNullable<RunStorage['turns']> =>
  async (threadId, { order, limit, beyond }) => {
    const [side, direction] = order === 'newest' ? (['<', 'DESC'] as const) : (['>', 'ASC'] as const);
    const isBeyond = beyond === undefined ? 'true' : `n ${side} (SELECT n FROM ${runs} WHERE id = $3 AND thread = $1)`;
    const found = await db.all(
      `WITH counts AS (SELECT count(*) AS total, count(*) FILTER (WHERE ${isBeyond}) AS rest FROM ${runs} WHERE thread = $1),
         page AS (SELECT ${runColumns.join(', ')} FROM ${runs} WHERE thread = $1 AND ${isBeyond} ORDER BY n ${direction} LIMIT $2::bigint)
       SELECT total, rest, page.* FROM counts LEFT JOIN page ON true ORDER BY n ${direction}`,
      ...[threadId, limit, ...(beyond === undefined ? [] : [beyond])],
    );
    const [total, left] = [Number(found[0]?.total ?? 0), Number(found[0]?.rest ?? 0)];
    const rows = found.filter(({ n }) => n !== null);
    const entries = await db.all(
      `SELECT run, ${entryColumns.join(', ')} FROM ${journal} WHERE run = ANY($1::bigint[]) ORDER BY run, seq`,
      rows.map(({ n }) => String(n)),
    );
    const entriesOf = Map.groupBy(entries, ({ run }) => run);
    const turns: StoredTurn[] = [];
    for (const row of rows) {
      const record = toRecord(toRunRow(row));
      try {
        const run = toCheckedRunRow(row);
        const own = (entriesOf.get(row.n ?? null) ?? []).map(toEntryRow);
        // another process may have written to the run, or removed it, between the statements
        const read = own.length === run.seq ? toEntries(run, own) : await readJournal(record.id);
        if (read) turns.push({ record, entries: read });
      } catch (error) {
        turns.push(damagedTurn(record, error));
      }
    }
    return { total, skipped: total - left, turns };
  };
