export type {
  FoundRun,
  FoundThread,
  NoteDecision,
  RunChange,
  RunHead,
  RunPlace,
  RunStorage,
  StoredLease,
  StoredRun,
} from '../ports/run-storage.ts';
export { createRunStore } from './create-run-store.ts';
export { type ExportOptions, exportRun } from './export-run.ts';
export { type ImportedRun, importRun } from './import-run.ts';
export { findRecords, matchesQuery } from './matches-query.ts';
export { type EndedStatus, type Pruned, type PruneOptions, pruneRuns } from './prune-runs.ts';
export { rateLimits } from './rate-limits.ts';
export type { BegunRun, RememberedByRun } from './remembered-by-run.ts';
export { type RunReader, rememberedByRuns } from './remembered-by-runs.ts';
export type { ExportedEntry, RunDocument } from './run-document.ts';
export { type StoreProblem, type StoreVerdict, verifyStore } from './verify-store.ts';
