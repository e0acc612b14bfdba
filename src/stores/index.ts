export type {
  FoundRun,
  FoundThread,
  RunChange,
  RunHead,
  RunPlace,
  RunStorage,
  StoredLease,
  StoredRun,
} from '../ports/run-storage.ts';
export { createRunStore } from './create-run-store.ts';
export { findRecords, matchesQuery } from './matches-query.ts';
