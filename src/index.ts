export {
  type ErrorCode,
  errorCodes,
  thrownOf,
  toErrorInfo,
  toSafeError,
  WorkflowError,
  type WorkflowErrorOptions,
} from './core/errors/errors.ts';
export type { Actor } from './core/ports/actor.ts';
export type {
  ChatMessage,
  ChatModel,
  ChatOutput,
  ChatReply,
  ChatRequest,
  ModelTool,
  ModelToolCall,
  ProviderData,
} from './core/ports/chat-model.ts';
export type { Clock } from './core/ports/clock.ts';
export type { Embedder, EmbedOptions } from './core/ports/embedder.ts';
export type { ErrorInfo } from './core/ports/error-info.ts';
export { type FleetState, fleetStateOf, fleetStates } from './core/ports/fleet-state.ts';
export type { HumanEvent } from './core/ports/human-event.ts';
export type { Json, JsonObject, JsonSchema, Storable } from './core/ports/json.ts';
export type { MessageFile } from './core/ports/message-file.ts';
export type { BudgetedCall, BudgetedRun, ModelBudget, ReplyCost, Reservation } from './core/ports/model-budget.ts';
export type { Attempt, Effect, NodeIo, StepOptions } from './core/ports/node-io.ts';
export type { PythonResult, PythonRunOptions, PythonSandbox } from './core/ports/python-sandbox.ts';
export type { CallPlace, CallRate, RateLimits } from './core/ports/rate-limits.ts';
export type { Passage, Retriever, RetrieverOptions } from './core/ports/retriever.ts';
export type {
  CallInDoubt,
  EventMeta,
  Interrupt,
  LifecycleEvent,
  RunEvent,
  StoredEvent,
  StreamEvent,
  TokenUsage,
} from './core/ports/run-event.ts';
export type {
  AcquiredRun,
  AcquireRequest,
  Awaitable,
  EntryKind,
  FitsBeside,
  JournalEntry,
  Lease,
  LeaseRequest,
  NewRun,
  RemovedPlace,
  RunQuery,
  RunRating,
  RunRecord,
  RunStatus,
  RunStore,
  RunWatch,
  Settlement,
  StoredTurn,
  StoredTurns,
  ThreadRecord,
  TurnQuery,
} from './core/ports/run-store.ts';
export type { CompiledSchema, SchemaIssue, SchemaValidator } from './core/ports/schema-validator.ts';
export type { StandardResult, StandardSchema } from './core/ports/standard-schema.ts';
export type { Taint } from './core/ports/taint.ts';
export type { TextGuard } from './core/ports/text-guard.ts';
export type {
  ApprovalContext,
  Tool,
  ToolCapabilities,
  ToolContext,
  ToolInput,
  ToolOutput,
  ToolSpec,
  ToolsContext,
  TypedTool,
} from './core/ports/tool.ts';
export type { ValidatedCall } from './core/ports/tool-call.ts';
export type { ToolContent, ToolContentPart } from './core/ports/tool-content.ts';
export type {
  VectorEntry,
  VectorHit,
  VectorIndex,
  VectorMetadata,
  VectorOptions,
  VectorSearchOptions,
} from './core/ports/vector-index.ts';
export { asJson } from './core/util/as-json.ts';
export { canonicalJson } from './core/util/canonical-json.ts';
export { checkFields } from './core/util/check-fields.ts';
export { checkInteger } from './core/util/check-integer.ts';
export { checkText } from './core/util/check-text.ts';
export type { RetryPolicy } from './core/util/retryer.ts';
export { systemClock } from './core/util/system-clock.ts';
export { joinTaint, noTaint, readTaint } from './core/util/taint.ts';
export { taintOfInput } from './core/util/taint-of-input.ts';
export { defineMachine, type Machine, type MachineOptions } from './engine/define/define-machine.ts';
export {
  type AnyWorkflow,
  defineWorkflow,
  type NodeName,
  type Questions,
  type RunStart,
  type ThreadDefinition,
  type Workflow,
  type WorkflowDefinition,
} from './engine/define/define-workflow.ts';
export { type GraphEdge, type GraphState, type MachineGraph, toGraph } from './engine/define/graph.ts';
export type { Guard } from './engine/define/guard.ts';
export { lintWorkflow } from './engine/define/lint.ts';
export type { LintCode, LintIssue } from './engine/define/lint-issue.ts';
export type { Migration } from './engine/define/migration.ts';
export type { NodeHandler, NodeLogic } from './engine/define/node.ts';
export type { Offer } from './engine/define/offer.ts';
export { type SchemaKit, type SchemaStateOptions, schemaState } from './engine/define/schema-state.ts';
export {
  append,
  defineState,
  type EventDefinition,
  type Reducers,
  type StateEvent,
  type StateKit,
  type StateOptions,
} from './engine/define/state.ts';
export {
  type Edge,
  type Edges,
  final,
  nested,
  node,
  parallel,
  parallelNodes,
  type StateConfig,
  waiting,
} from './engine/define/state-config.ts';
export type { DriveEnd } from './engine/drive/drive-end.ts';
export { drive } from './engine/drive/driver.ts';
export type { Host, Outcome, Wait } from './engine/drive/host.ts';
export type { Run, RunResult } from './engine/drive/run.ts';
export type { InspectedDrive, RunInspection } from './engine/drive/run-inspection.ts';
export { type Engine, engineOf, type RunnableWorkflow } from './engine/drive/stepper-of.ts';
export { type SubWorkflowOptions, subWorkflow } from './engine/drive/sub-workflow.ts';
export { type AttemptOptions, withAttempts } from './engine/drive/with-attempts.ts';
export { defaultLimits, type Limits } from './engine/journal/limits.ts';
export { createRuntime } from './engine/run/create-runtime.ts';
export { outputOf } from './engine/run/output-of.ts';
export type { RecoveredRun, RecoverOptions, Recovery, RecoveryCandidate } from './engine/run/recover.ts';
export type {
  ForkOptions,
  HistoryEntry,
  ListedRun,
  PauseOptions,
  Resolution,
  ResumeOptions,
  RetryOptions,
  RunInfo,
  Runtime,
  RuntimeOptions,
  SendOptions,
  StartOptions,
  ThreadInfo,
  ThreadTurn,
  ThreadTurns,
  WorkflowRuns,
} from './engine/run/runtime.ts';
export { memoryStore } from './engine/store/memory-store.ts';
export {
  type BulkAction,
  type BulkFilter,
  type BulkOptions,
  type BulkOutcome,
  type BulkResult,
  bulkRuns,
} from './engine/workers/bulk-runs.ts';
export { createWorker, type Worker, type WorkerEvent, type WorkerOptions } from './engine/workers/create-worker.ts';
export { type Forecast, type ForecastOptions, forecastRuns } from './engine/workers/forecast-runs.ts';
export { type MigratedRun, type MigrateOptions, type Migrations, migrateRuns } from './engine/workers/migrate-runs.ts';
export type { WorkerConcurrency } from './engine/workers/worker-concurrency.ts';
export { listWorkers, type WorkerRole, type WorkerStatus } from './engine/workers/worker-notes.ts';
