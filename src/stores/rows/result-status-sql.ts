/** `resultStatus` of a row, in SQL. */
export const resultStatusSql = "CASE WHEN status = 'done' AND failure IS NOT NULL THEN 'failed' ELSE status END";
