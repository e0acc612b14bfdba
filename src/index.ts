export { type ErrorCode, errorCodes, toErrorInfo, toSafeError, WorkflowError, type WorkflowErrorOptions } from './errors.ts';
export type {
  ChatMessage,
  ChatModel,
  ChatOutput,
  ChatReply,
  ChatRequest,
  ModelTool,
  ModelToolCall,
  ProviderData,
} from './ports/chat-model.ts';
export type { Clock } from './ports/clock.ts';
export type { Embedder, EmbedOptions } from './ports/embedder.ts';
export type { ErrorInfo } from './ports/error-info.ts';
export type { Json, JsonObject, JsonSchema, Storable } from './ports/json.ts';
export type { MessageFile } from './ports/message-file.ts';
export type { Attempt, Effect, NodeIo, StepOptions } from './ports/node-io.ts';
export type { PythonResult, PythonRunOptions, PythonSandbox } from './ports/python-sandbox.ts';
export type { CallPlace, CallRate, RateLimits } from './ports/rate-limits.ts';
export type { Passage, Retriever, RetrieverOptions } from './ports/retriever.ts';
export type { CallInDoubt, EventMeta, Interrupt, LifecycleEvent, RunEvent, StreamEvent, TokenUsage } from './ports/run-event.ts';
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
  RunRecord,
  RunStatus,
  RunStore,
  RunWatch,
  Settlement,
  ThreadRecord,
} from './ports/run-store.ts';
export type { CompiledSchema, SchemaIssue, SchemaValidator } from './ports/schema-validator.ts';
export type { StandardResult, StandardSchema } from './ports/standard-schema.ts';
export type { Taint } from './ports/taint.ts';
export type { ApprovalContext, Tool, ToolCapabilities, ToolContext, ToolInput, ToolOutput, ToolSpec, TypedTool } from './ports/tool.ts';
export type { ValidatedCall } from './ports/tool-call.ts';
export type {
  VectorEntry,
  VectorHit,
  VectorIndex,
  VectorMetadata,
  VectorOptions,
  VectorSearchOptions,
} from './ports/vector-index.ts';
export { createRuntime } from './runtime/create-runtime.ts';
export { createWorker, type Worker, type WorkerEvent, type WorkerOptions } from './runtime/create-worker.ts';
export type { DriveEnd } from './runtime/drive-end.ts';
export { drive } from './runtime/driver.ts';
export { type Forecast, type ForecastOptions, forecastRuns } from './runtime/forecast-runs.ts';
export type { Host, HumanEvent, Outcome, Wait } from './runtime/host.ts';
export { defaultLimits, type Limits } from './runtime/limits.ts';
export { type MigratedRun, type MigrateOptions, type Migrations, migrateRuns } from './runtime/migrate-runs.ts';
export type { RecoveredRun, RecoverOptions, Recovery, RecoveryCandidate } from './runtime/recover.ts';
export type { Run, RunResult } from './runtime/run.ts';
export type { InspectedDrive, RunInspection } from './runtime/run-inspection.ts';
export type {
  ForkOptions,
  ListedRun,
  PauseOptions,
  Resolution,
  ResumeOptions,
  RunInfo,
  Runtime,
  RuntimeOptions,
  SendOptions,
  StartOptions,
  ThreadInfo,
} from './runtime/runtime.ts';
export { type Engine, engineOf, type RunnableWorkflow } from './runtime/stepper-of.ts';
export { type SubWorkflowOptions, subWorkflow } from './runtime/sub-workflow.ts';
export { type AttemptOptions, withAttempts } from './runtime/with-attempts.ts';
export type { WorkerConcurrency } from './runtime/worker-room.ts';
export { memoryStore } from './stores/memory-store.ts';
export { asJson } from './util/as-json.ts';
export { canonicalJson } from './util/canonical-json.ts';
export { checkFields } from './util/check-fields.ts';
export { checkInteger } from './util/check-integer.ts';
export { checkText } from './util/check-text.ts';
export type { RetryPolicy } from './util/retryer.ts';
export { systemClock } from './util/system-clock.ts';
export { joinTaint, noTaint, readTaint } from './util/taint.ts';
export { taintOfInput } from './util/taint-of-input.ts';
export { defineMachine, type Machine, type MachineOptions } from './workflow/define-machine.ts';
export {
  type AnyWorkflow,
  defineWorkflow,
  type NodeName,
  type Questions,
  type RunStart,
  type ThreadDefinition,
  type Workflow,
  type WorkflowDefinition,
} from './workflow/define-workflow.ts';
export { type GraphEdge, type GraphState, type MachineGraph, toGraph } from './workflow/graph.ts';
export type { Guard } from './workflow/guard.ts';
export { lintWorkflow } from './workflow/lint.ts';
export type { LintCode, LintIssue } from './workflow/lint-issue.ts';
export type { Migration } from './workflow/migration.ts';
export type { NodeHandler, NodeLogic } from './workflow/node.ts';
export type { Offer } from './workflow/offer.ts';
export { type SchemaKit, type SchemaStateOptions, schemaState } from './workflow/schema-state.ts';
export {
  append,
  defineState,
  type EventDefinition,
  type Reducers,
  type StateEvent,
  type StateKit,
  type StateOptions,
} from './workflow/state.ts';
export { type Edge, type Edges, final, nested, node, parallel, parallelNodes, type StateConfig, waiting } from './workflow/state-config.ts';
