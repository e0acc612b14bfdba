import type { ContractComparison } from '../../contracts/compare/compare-contracts.ts';
import type { ErrorInfo } from '../../core/ports/error-info.ts';
import type { FleetState } from '../../core/ports/fleet-state.ts';
import type { HumanEvent } from '../../core/ports/human-event.ts';
import type { Json, JsonObject } from '../../core/ports/json.ts';
import type { MemoryExport, MemoryRecord } from '../../core/ports/long-term-memory.ts';
import type { PromiseReport } from '../../core/ports/promise-report.ts';
import type { CallInDoubt, Interrupt } from '../../core/ports/run-event.ts';
import type { RunRating, RunStatus } from '../../core/ports/run-store.ts';
import type { MachineGraph } from '../../engine/define/graph.ts';
import type { LintIssue } from '../../engine/define/lint-issue.ts';
import type { Limits } from '../../engine/journal/limits.ts';
import type { AuditEntry } from '../../engine/run/read-audit.ts';
import type { HistoryEntry, Resolution } from '../../engine/run/runtime.ts';
import type { BulkAction, BulkResult } from '../../engine/workers/bulk-runs.ts';
import type { WorkerStatus } from '../../engine/workers/worker-notes.ts';
import type { MachineLayout } from '../../inspect/drawing/machine-layout.ts';
import type { EvalDetails, EvalList } from './evals.ts';
import type { AddSchedule, BackfilledRuns, BackfillSchedule, ScheduleInfo, ScheduleList, ScheduleRun } from './schedules.ts';

/** A workflow in a list. */
export interface WorkflowSummary {
  /** Id of the workflow in starts and URLs. */
  readonly id: string;
  readonly version: string;
  readonly title: string;
  readonly description: string;
  /** Example inputs. */
  readonly examples: readonly string[];
  /** JSON Schema of the input. Absent: the workflow validates its input at the start. */
  readonly inputSchema?: JsonObject;
  /** The model in use. Absent: rules answer. */
  readonly model?: string;
}

export interface WorkflowDetails extends WorkflowSummary {
  readonly graph: MachineGraph;
  readonly lint: readonly LintIssue[];
  /** Promises of the machine. */
  readonly invariants: readonly string[];
  /** JSON Schemas of the events that a human can send, by event type. */
  readonly events: Readonly<Record<string, JsonObject>>;
}

export interface StartRun {
  /** Id of the workflow. */
  readonly workflow: string;
  readonly input: Json;
  /** Conversation of the run. */
  readonly threadId?: string;
  /** @default 'reject' */
  readonly ifBusy?: 'reject' | 'queue' | 'cancel-and-replace';
  /** Priority for workers, from -100 to 100; higher runs earlier. @default 0 */
  readonly priority?: number;
  readonly limits?: Partial<Limits>;
  /** Settings of the workflow, such as the document to ask about. */
  readonly settings?: JsonObject;
}

/** A run in a list. */
export interface RunSummary {
  readonly id: string;
  readonly workflow: string;
  readonly version: string;
  readonly threadId?: string;
  /** Absent: 0. */
  readonly priority?: number;
  readonly status: RunStatus;
  /** Who or what moves it next. */
  readonly state: FleetState;
  /** Number of entries in its journal. */
  readonly seq: number;
  readonly activeMs: number;
  /** Milliseconds since 1970, like all times of the API. */
  readonly startedAt: number;
  readonly updatedAt: number;
  readonly wakeAt?: number;
  /** Error code of a failed run. */
  readonly failure?: string;
  /** Present on a `failed` run. False if it ended in a final state tagged `failure`. */
  readonly resumable?: boolean;
  /** Reason why the run cannot resume here. */
  readonly missing?: 'workflow' | 'version' | 'structure';
  /** Error because of which workers skip the run: it has crashed its process 3 times. */
  readonly parked?: ErrorInfo;
}

/** Usage of a run so far. */
export interface RunUsage {
  readonly modelCalls: number;
  /** Number of calls answered from a cache. */
  readonly cachedCalls: number;
  readonly toolCalls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

export interface RunDetails extends RunSummary {
  readonly input: Json;
  /** Output of a run that has reached a final state. */
  readonly output?: Json;
  readonly finalState?: string;
  /** Error of a failed run, or of a parked one. */
  readonly error?: ErrorInfo;
  /** Questions to a human. */
  readonly interrupts: readonly Interrupt[];
  /** Calls with an unknown outcome. */
  readonly inDoubt: readonly CallInDoubt[];
  /** Paths of the active states, innermost only. */
  readonly position: readonly string[];
  readonly usage: RunUsage;
  /** Absent: not rated. */
  readonly rating?: RunRating;
}

/** A run in the list of runs. */
export interface ListedRun extends RunSummary {
  /** For whom it waits: paths of the waiting states, or ids of the calls in doubt. */
  readonly waits?: { readonly for: readonly string[]; readonly since: number };
}

export interface RunList {
  readonly runs: readonly ListedRun[];
  /** Value for `before` to read older entries; absent on the last page. */
  readonly next?: string;
}

/** A run that waits for a human. */
export interface WaitingRun extends RunSummary {
  readonly interrupts: readonly Interrupt[];
  readonly inDoubt: readonly CallInDoubt[];
}

export interface WaitingList {
  readonly runs: readonly WaitingRun[];
  /** Value for `before` to read older entries; absent on the last page. */
  readonly next?: string;
}

export interface Answer {
  readonly interruptId: string;
  readonly event: HumanEvent;
}

export interface ResolveCall {
  readonly callId: string;
  readonly resolution: Resolution;
}

export interface ForkRun {
  /** Key of a node in the journal, `state#visit`. Everything before it is kept. */
  readonly at: string;
  readonly patch?: JsonObject;
  readonly repeatOnce?: boolean;
  readonly limits?: Partial<Limits>;
}

export interface ThreadSummary {
  readonly id: string;
  readonly workflow: string;
  /** Title set by the user, or the first input in one line. */
  readonly title: string;
  readonly updatedAt: number;
  /** True when its newest run waits for a human. */
  readonly waiting: boolean;
  /** Status of its newest run. */
  readonly status: RunStatus;
  /** Number of its runs. */
  readonly runs: number;
}

export interface ThreadList {
  readonly threads: readonly ThreadSummary[];
  /** Value for `before`: there may be more. A search examines a limited number of threads per request, and may match none of them. */
  readonly next?: string;
}

export interface ThreadDetails {
  readonly id: string;
  readonly workflow: string;
  readonly title: string;
  readonly revision: number;
  readonly state: Json;
  readonly activeRun?: string;
  /** Its runs, oldest first. */
  readonly turns: readonly RunDetails[];
}

/** Some turns of a conversation, the newest first. At most 512 kB. */
export interface TurnWindow {
  readonly thread: {
    readonly id: string;
    readonly workflow: string;
    readonly title: string;
    /** Number of all turns. */
    readonly turns: number;
  };
  readonly turns: readonly TurnDetails[];
  /** Value for `before` to read older turns; absent at the oldest. */
  readonly before?: string;
  /** Value for `after` to read newer turns; absent at the newest. */
  readonly after?: string;
}

/** A run of a conversation, without its journal. If its journal is damaged, `error` says so. */
export interface TurnDetails extends RunDetails {
  /** Place in the conversation, from 1. */
  readonly number: number;
  readonly steps: readonly TurnStep[];
  /** Present if long texts or lists were cut. `GET /api/runs/:id` has all. */
  readonly cut?: true;
}

/** A node of a turn. */
export interface TurnStep {
  /** `state#visit`. */
  readonly key: string;
  readonly status: 'open' | 'done' | 'failed';
  /** Absent while it is open. */
  readonly durationMs?: number;
  /** Number of calls by tool. */
  readonly calls: Readonly<Record<string, number>>;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

export interface RateRun {
  /** `null` removes the rating. */
  readonly value: RunRating | null;
}

export interface NameThread {
  /** `null` restores the first input as the title. */
  readonly title: string | null;
}

export interface Journal {
  readonly entries: readonly HistoryEntry[];
  /** Value for `from` to read more; absent on the last page. */
  readonly next?: number;
}

/** State of a run after a journal entry. */
export interface RunState {
  /** Paths of the active states, innermost only. */
  readonly position: readonly string[];
  readonly state: JsonObject;
}

/** Numbers of removed items. */
export interface RemovedRuns {
  /** Number of removed runs. */
  readonly deleted: number;
  /** Number of removed user memories that these runs recorded. */
  readonly memories: number;
}

/** A document that was uploaded to the server. */
export interface DocumentSummary {
  readonly id: string;
  /** File name given by the sender. */
  readonly name: string;
  readonly title: string;
  /** Milliseconds since 1970. */
  readonly addedAt: number;
}

export interface DocumentDetails extends DocumentSummary {
  /** Articles, exhibits and the text outside them, in text order. */
  readonly outline: readonly DocumentPart[];
  /** Notices that a reader should check. */
  readonly notices: readonly { readonly code: string; readonly message: string; readonly partId?: string }[];
  readonly facts: JsonObject;
  /** The whole text; absent in the response to the upload. */
  readonly text?: string;
}

/** A part of a document. Positions count UTF-16 code units of the text. */
export interface DocumentPart {
  readonly id: string;
  readonly part: string;
  readonly label: string;
  readonly title: string;
  readonly chapter: string;
  readonly deleted: boolean;
  readonly start: number;
  readonly end: number;
}

/** A tool as shown to users. */
export interface ToolSummary {
  readonly name: string;
  readonly description: string;
  readonly effect: string;
  readonly risk: string;
  /** Capabilities: `private`, `untrusted`, `external`. */
  readonly capabilities: readonly string[];
  readonly available: boolean;
  /** Reason why the tool is unavailable. */
  readonly whyNot?: string;
}

/** The model in use. */
export interface ModelInfo {
  /** Absent: rules answer. */
  readonly name?: string;
  /** Address of the model's server. */
  readonly address?: string;
  /** True when rules answer. */
  readonly offline: boolean;
}

interface ById {
  readonly id: string;
}

interface OfUser {
  readonly user?: string;
}

/** Which turns to read; the newest by default. At most one of `before`, `after` and `around`, each the id of a run. */
export interface TurnWindowQuery {
  /** From 1 to 100. @default 30 */
  readonly limit?: number | undefined;
  readonly before?: string | undefined;
  readonly after?: string | undefined;
  readonly around?: string | undefined;
}

interface Page {
  readonly limit?: number;
  readonly before?: string;
}

/** Conditions on runs. */
export interface RunFilter {
  readonly workflow?: string;
  readonly threadId?: string;
  readonly status?: RunStatus;
  readonly state?: FleetState;
  /** Error code of failed runs. */
  readonly code?: string;
  /** Smallest time since the last journal entry, such as `30d`, `12h`, `90m` or `45s`. */
  readonly older?: string;
}

/** An action on all runs that match a filter, in pages. */
export interface BulkRuns {
  readonly action: BulkAction;
  readonly where: RunFilter;
  /** Allows an empty filter. @default false */
  readonly all?: boolean;
  /** False changes the runs. @default true */
  readonly dryRun?: boolean;
  /** Maximum number of runs, from 1 to 1,000. @default 1_000 */
  readonly limit?: number;
  /** `next` of the page before. */
  readonly before?: string;
  /** Id of the newest run to deal with; later ones are left alone. Without effect with `before`. */
  readonly from?: string;
}

interface Deleted {
  readonly deleted: number;
}

/** Input and response of each route. */
export interface Calls {
  readonly listWorkflows: { readonly answer: readonly WorkflowSummary[] };
  readonly getWorkflow: { readonly params: ById; readonly answer: WorkflowDetails };
  readonly getDrawing: { readonly params: ById; readonly answer: MachineLayout };
  readonly getPromises: { readonly params: ById; readonly answer: PromiseReport };
  readonly startRun: { readonly body: StartRun; readonly answer: RunDetails };
  readonly listRuns: {
    readonly query: Page & RunFilter;
    readonly answer: RunList;
  };
  readonly bulkRuns: { readonly body: BulkRuns; readonly answer: BulkResult };
  readonly listWaiting: { readonly query?: Page; readonly answer: WaitingList };
  readonly getRun: { readonly params: ById; readonly answer: RunDetails };
  readonly streamEvents: { readonly params: ById; readonly query: { readonly from?: number; readonly follow?: boolean } };
  readonly getJournal: {
    readonly params: ById;
    readonly query: { readonly from?: number; readonly limit?: number };
    readonly answer: Journal;
  };
  readonly send: { readonly params: ById; readonly body: Answer; readonly answer: RunDetails };
  readonly resolveCall: { readonly params: ById; readonly body: ResolveCall; readonly answer: RunDetails };
  readonly cancelRun: { readonly params: ById; readonly answer: RunDetails };
  readonly resumeRun: { readonly params: ById; readonly answer: RunDetails };
  readonly pauseRun: { readonly params: ById; readonly answer: RunDetails };
  readonly releaseRun: { readonly params: ById; readonly answer: RunDetails };
  readonly rateRun: { readonly params: ById; readonly body: RateRun; readonly answer: RunDetails };
  readonly forkRun: { readonly params: ById; readonly body: ForkRun; readonly answer: RunDetails };
  readonly listThreads: { readonly query: Page & { readonly q?: string; readonly workflow?: string }; readonly answer: ThreadList };
  readonly getThread: { readonly params: ById; readonly answer: ThreadDetails };
  readonly listTurns: { readonly params: ById; readonly query?: TurnWindowQuery; readonly answer: TurnWindow };
  readonly nameThread: { readonly params: ById; readonly body: NameThread; readonly answer: ThreadSummary };
  readonly deleteRun: { readonly params: ById; readonly answer: RemovedRuns };
  readonly deleteThread: { readonly params: ById; readonly answer: RemovedRuns };
  readonly getState: { readonly params: ById; readonly query: { readonly at?: number }; readonly answer: RunState };
  /** A vitest test, as text. */
  readonly getTest: { readonly params: ById; readonly answer: string };
  readonly listSchedules: { readonly answer: ScheduleList };
  readonly addSchedule: { readonly body: AddSchedule; readonly answer: ScheduleInfo };
  readonly pauseSchedule: { readonly params: ById; readonly answer: ScheduleInfo };
  readonly resumeSchedule: { readonly params: ById; readonly answer: ScheduleInfo };
  readonly triggerSchedule: { readonly params: ById; readonly answer: ScheduleRun };
  readonly backfillSchedule: { readonly params: ById; readonly body: BackfillSchedule; readonly answer: BackfilledRuns };
  readonly removeSchedule: { readonly params: ById; readonly answer: Deleted };
  readonly listDocuments: { readonly answer: readonly DocumentSummary[] };
  /** The body is multipart/form-data with one `file`. */
  readonly addDocument: { readonly answer: DocumentDetails };
  readonly getDocument: { readonly params: ById; readonly answer: DocumentDetails };
  readonly compareDocument: { readonly params: ById; readonly query: { readonly with?: string }; readonly answer: ContractComparison };
  readonly deleteDocument: { readonly params: ById; readonly answer: Deleted };
  readonly listEvals: { readonly query?: { readonly limit?: number | undefined }; readonly answer: EvalList };
  readonly getEval: { readonly params: ById; readonly answer: EvalDetails };
  readonly listMemories: {
    readonly query: OfUser & { readonly q?: string };
    readonly answer: { readonly memories: readonly MemoryRecord[] };
  };
  readonly exportMemories: { readonly query: OfUser; readonly answer: MemoryExport };
  readonly forgetMemories: { readonly query: { readonly user: string }; readonly answer: Deleted };
  readonly forgetMemory: { readonly params: ById; readonly query: OfUser; readonly answer: Deleted };
  readonly releaseMemory: { readonly params: ById; readonly query: OfUser; readonly answer: { readonly released: number } };
  readonly listTools: { readonly answer: readonly ToolSummary[] };
  readonly getModel: { readonly answer: ModelInfo };
  /** The newest entries since a time, 200 by default. */
  readonly listAudit: {
    readonly query: { readonly since: number; readonly limit?: number };
    readonly answer: { readonly entries: readonly AuditEntry[] };
  };
  readonly listWorkers: { readonly answer: { readonly workers: readonly WorkerStatus[] } };
  /** Text in Prometheus format. */
  readonly getMetrics: { readonly answer: string };
  readonly getOpenApi: { readonly answer: JsonObject };
}
