export type { ApiError } from '../api/api-error.ts';
export type {
  Answer,
  Calls,
  DocumentDetails,
  DocumentPart,
  DocumentSummary,
  ForkRun,
  Journal,
  ModelInfo,
  RemovedRuns,
  ResolveCall,
  RunDetails,
  RunList,
  RunState,
  RunSummary,
  RunUsage,
  StartRun,
  ThreadDetails,
  ThreadList,
  ThreadSummary,
  ToolSummary,
  WaitingList,
  WaitingRun,
  WorkflowDetails,
  WorkflowSummary,
} from '../api/calls.ts';
export { ApiFailure } from './api-failure.ts';
export { type AgentClient, type CallOptions, type ClientOptions, createClient, type EventsOptions } from './create-client.ts';
