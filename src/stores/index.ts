export type {
  FoundRun,
  FoundThread,
  NoteDecision,
  NoteQuery,
  NoteRow,
  RunChange,
  RunHead,
  RunPlace,
  RunStorage,
  StoredLease,
  StoredRun,
} from '../core/ports/run-storage.ts';
export { type AuditEntry, type AuditQuery, readAudit } from '../engine/run/read-audit.ts';
export { createRunStore } from '../engine/store/create-run-store.ts';
export { findRecords, matchesQuery } from '../engine/store/matches-query.ts';
export type { RunMemories, StartedRun } from '../engine/store/remembered-by-run.ts';
export { type RunReader, rememberedByRuns } from '../engine/store/remembered-by-runs.ts';
export { notesOfPlaces } from '../engine/store/run-notes.ts';
export * from './durable-object/durable-object-store.ts';
export { type EncryptionKey, type EncryptOptions, encryptedStore } from './encryption/encrypted-store.ts';
export { type RekeyReport, rekeyStore } from './encryption/rekey-store.ts';
export * from './indexeddb/indexeddb-store.ts';
export {
  type ModelBudgetOptions,
  modelBudget,
  type Spending,
  type SpendingOf,
  type Spent,
  type StoredModelBudget,
} from './model-budget.ts';
export { rateLimits } from './rate-limits.ts';
export * from './restate/index.ts';
export { type ExportOptions, exportRun } from './upkeep/export-run.ts';
export { type ImportedRun, importRun } from './upkeep/import-run.ts';
export { type EndedStatus, type PruneOptions, type PruneReport, pruneRuns } from './upkeep/prune-runs.ts';
export type { ExportedEntry, RunDocument } from './upkeep/run-document.ts';
export { type StoreProblem, type StoreVerdict, verifyStore } from './upkeep/verify-store.ts';
