import type { RunQuery, RunRecord } from '../ports/run-store.ts';

/** Whether a run is one of those that a query asks for, its `limit` aside. */
export const matchesQuery = (record: RunRecord, { workflow, threadId, status, dueBefore }: RunQuery): boolean =>
  (workflow === undefined || record.workflow === workflow) &&
  (threadId === undefined || record.threadId === threadId) &&
  (status === undefined || record.status === status) &&
  (dueBefore === undefined || (record.wakeAt !== undefined && record.wakeAt <= dueBefore));
