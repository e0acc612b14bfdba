/** `fleetStateOf` of a row, in SQL. `parked` is the condition of a parked run among those that are `running`. */
export const fleetStateSql = (parked: string): string => `CASE WHEN status = 'running' AND ${parked} THEN 'parked'
  WHEN status = 'paused' AND wake_at IS NOT NULL THEN 'queued'
  WHEN status = 'waiting' AND sleeps IS NOT NULL THEN 'sleeping'
  WHEN status = 'done' AND failure IS NOT NULL THEN 'failed' ELSE status END`;

/** Error code of a failed run, in SQL. */
export const failureCodeSql = "CASE WHEN status IN ('done', 'failed') THEN failure END";
