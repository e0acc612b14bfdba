import type { SqliteDatabase } from '../../core/node/sqlite/sqlite-database.ts';
import type { RunStorage } from '../../core/ports/run-storage.ts';
import type { StoredTurn } from '../../core/ports/run-store.ts';
import { damagedTurn } from '../../engine/store/thread-turns.ts';
import { type RunRow, type Stored, toRecord } from '../rows/run-rows.ts';
import type { SqliteRuns } from './sqlite-runs.ts';

/** Reads runs of a thread by the index of threads, from its newer or older end. */
export const sqliteTurns =
  (db: SqliteDatabase, runs: SqliteRuns): NonNullable<RunStorage['turns']> =>
  (threadId, { order, limit, beyond }) =>
    db.read(() => {
      const [side, direction] = order === 'newest' ? (['<', 'DESC'] as const) : (['>', 'ASC'] as const);
      const end = order === 'newest' ? Number.MAX_SAFE_INTEGER : 0;
      // an id of another thread is beyond both ends
      const place =
        beyond === undefined
          ? end
          : (db.one<{ readonly n: number }>('SELECT n FROM runs WHERE id = ? AND thread = ?', beyond, threadId)?.n ??
            Number.MAX_SAFE_INTEGER - end);
      const counts = db.one<{ readonly total: number; readonly left: number }>(
        `SELECT count(*) AS total, count(*) FILTER (WHERE n ${side} ?) AS left FROM runs WHERE thread = ?`,
        place,
        threadId,
      );
      const { total = 0, left = 0 } = counts ?? {};
      const rows = db.all<Stored<RunRow>>(
        `SELECT * FROM runs WHERE thread = ? AND n ${side} ? ORDER BY n ${direction} LIMIT ?`,
        threadId,
        place,
        limit,
      );
      return { total, skipped: total - left, turns: rows.map((row) => toTurn(runs, row)) };
    });

function toTurn(runs: SqliteRuns, row: Stored<RunRow>): StoredTurn {
  try {
    const run = runs.current(row);
    return { record: toRecord(run), entries: runs.entries(run) };
  } catch (error) {
    return damagedTurn(toRecord(runs.latest(row)), error);
  }
}
