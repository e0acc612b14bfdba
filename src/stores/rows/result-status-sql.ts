import type { RunStatus } from '../../core/ports/run-store.ts';

/** `resultStatus` of a row, in SQL. */
export const resultStatusSql = "CASE WHEN status = 'done' AND failure IS NOT NULL THEN 'failed' ELSE status END";

/** Stored status of all runs with this result, so that an index finds them. `undefined` for `failed`, which has two. */
export const storedStatus = (result: RunStatus | undefined): RunStatus | undefined => (result === 'failed' ? undefined : result);
