import type { RunQuery, RunRecord } from '../ports/run-store.ts';

/** Whether a run is one of those that a query asks for, its `before` and `limit` aside. */
export const matchesQuery = (record: RunRecord, { workflow, threadId, status, dueBefore, idPrefix }: RunQuery): boolean =>
  (workflow === undefined || record.workflow === workflow) &&
  (idPrefix === undefined || record.id.startsWith(idPrefix)) &&
  (threadId === undefined || record.threadId === threadId) &&
  (status === undefined || record.status === status) &&
  (dueBefore === undefined || (record.wakeAt !== undefined && record.wakeAt <= dueBefore));

/** Upper bound of the ids with this prefix; "~" sorts after every character of an id. */
export const afterPrefix = <T extends string | null | undefined>(idPrefix: T): T | string =>
  typeof idPrefix === 'string' ? `${idPrefix}~` : idPrefix;

/** Records in the order in which queries give them, for who does not know the order in which they were created. */
export const newestFirst = (records: readonly RunRecord[]): RunRecord[] =>
  [...records].sort((a, b) => b.startedAt - a.startedAt || (a.id < b.id ? 1 : -1));

/** What a query asks for of all records, the last created first: for a storage that has them at hand. */
export function findRecords(records: readonly RunRecord[], query: RunQuery & { readonly limit: number }): readonly RunRecord[] {
  const { before, limit } = query;
  const place = before === undefined ? 0 : records.findIndex(({ id }) => id === before) + 1;
  const older = before !== undefined && place === 0 ? [] : records.slice(place);
  return older.filter((record) => matchesQuery(record, query)).slice(0, limit);
}
