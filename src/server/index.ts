export { type AgentApp, defineApp } from './agent-app.ts';
export type { ApiError } from './api/api-error.ts';
export type {
  Answer,
  DocumentDetails,
  DocumentPart,
  DocumentSummary,
  ForkRun,
  Journal,
  ModelInfo,
  NameThread,
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
} from './api/calls.ts';
export { type HttpErrorCode, httpErrorCodes } from './api/http-error-code.ts';
export { type AgentServer, createServer, type Peer, type ServerOptions, type TenantSpace } from './create-server.ts';
export type { Tokens } from './http/authenticate.ts';
export type { DocumentShelf } from './http/document-library.ts';
export type { FollowOptions } from './http/follow-events.ts';
export type { EgressRequest, GrantEgress, ServedSpace, ServerSpace, StartRequest } from './http/served-space.ts';
export type { MadeWorkflow, ServedWorkflow, WorkflowSource } from './http/served-workflow.ts';
export { defaultServerLimits, type ServerLimitOptions, type ServerLimits } from './http/server-limits.ts';
export type { Fetcher, Mounted } from './tenant-app.ts';
