import { fleetStateOf } from '../../core/ports/fleet-state.ts';
import { type RunRecord, resultStatus, type StoreQuery } from '../../core/ports/run-store.ts';

/** True when a run matches a query. Ignores `before` and `limit`. */
export const matchesQuery = (
  record: RunRecord,
  { workflow, threadId, status, resultStatus: result, state, code, updatedBefore, dueBefore, idPrefix }: StoreQuery,
): boolean =>
  (workflow === undefined || record.workflow === workflow) &&
  (idPrefix === undefined || record.id.startsWith(idPrefix)) &&
  (threadId === undefined || record.threadId === threadId) &&
  (status === undefined || record.status === status) &&
  (result === undefined || resultStatus(record) === result) &&
  (state === undefined || fleetStateOf(record) === state) &&
  (code === undefined || (resultStatus(record) === 'failed' && record.failure === code)) &&
  (updatedBefore === undefined || record.updatedAt < updatedBefore) &&
  (dueBefore === undefined || (record.wakeAt !== undefined && record.wakeAt <= dueBefore));

/** Upper bound of the ids with this prefix. "~" sorts after every character of an id. */
export const afterPrefix = <T extends string | null | undefined>(idPrefix: T): T | string =>
  typeof idPrefix === 'string' ? `${idPrefix}~` : idPrefix;

/** True when a run has not moved on: it has the same lease, status and number of entries. */
export const isSamePlace = (one: RunRecord, other: RunRecord): boolean =>
  one.epoch === other.epoch && one.status === other.status && one.seq === other.seq;

/** Sorts records in query order, for callers that do not know the order of creation. */
export const newestFirst = (records: readonly RunRecord[]): RunRecord[] =>
  [...records].sort((a, b) => b.startedAt - a.startedAt || (a.id < b.id ? 1 : -1));

/** Filters an array of all records by a query, newest first. For storages that hold all records in memory. */
export function findRecords(records: readonly RunRecord[], query: StoreQuery & { readonly limit: number }): readonly RunRecord[] {
  const { before, limit } = query;
  const place = before === undefined ? 0 : records.findIndex(({ id }) => id === before) + 1;
  const older = before !== undefined && place === 0 ? [] : records.slice(place);
  return older.filter((record) => matchesQuery(record, query)).slice(0, limit);
}
