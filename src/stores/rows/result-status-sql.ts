import type { RunStatus } from '../../core/ports/run-store.ts';

/** `resultStatus` of a row, in SQL. `failure` is the expression of the run's failure. */
export const resultStatusOf = (failure: string): string =>
  `CASE WHEN status = 'done' AND ${failure} IS NOT NULL THEN 'failed' ELSE status END`;

/** `resultStatus` of a row with a column `failure`. */
export const resultStatusSql: string = resultStatusOf('failure');

/** Stored status of all runs with this result, so that an index finds them. `undefined` for `failed`, which has two. */
export const storedStatus = (result: RunStatus | undefined): RunStatus | undefined => (result === 'failed' ? undefined : result);
