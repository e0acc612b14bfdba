import type { ContractComparison } from '../contracts/compare/compare-contracts.ts';
import type { MachineLayout } from '../inspect/drawing/machine-layout.ts';
import type { ErrorInfo } from '../ports/error-info.ts';
import type { Json, JsonObject } from '../ports/json.ts';
import type { MemoryExport, MemoryRecord } from '../ports/long-term-memory.ts';
import type { PromiseReport } from '../ports/promise-report.ts';
import type { CallInDoubt, Interrupt } from '../ports/run-event.ts';
import type { JournalEntry, RunStatus } from '../ports/run-store.ts';
import type { HumanEvent } from '../runtime/host.ts';
import type { Limits } from '../runtime/limits.ts';
import type { Resolution } from '../runtime/runtime.ts';
import type { MachineGraph } from '../workflow/graph.ts';
import type { LintIssue } from '../workflow/lint-issue.ts';

/** A workflow in a list. */
export interface WorkflowSummary {
  /** What a start and a URL call it. */
  readonly id: string;
  readonly version: string;
  readonly title: string;
  readonly description: string;
  /** Example inputs. */
  readonly examples: readonly string[];
  /** JSON Schema of the input. Absent: the workflow says when it is started. */
  readonly inputSchema?: JsonObject;
  /** What answers. Absent: rules do. */
  readonly model?: string;
}

export interface WorkflowDetails extends WorkflowSummary {
  readonly graph: MachineGraph;
  readonly lint: readonly LintIssue[];
  /** What its machine promises. */
  readonly invariants: readonly string[];
  /** What a human can say to it, by the event's type, as JSON Schema. */
  readonly events: Readonly<Record<string, JsonObject>>;
}

export interface StartRun {
  /** Id of the workflow. */
  readonly workflow: string;
  readonly input: Json;
  /** The conversation that it belongs to. */
  readonly threadId?: string;
  /** @default 'reject' */
  readonly ifBusy?: 'reject' | 'queue' | 'cancel-and-replace';
  /** How urgent it is for workers, from -100 to 100: more is earlier. @default 0 */
  readonly priority?: number;
  readonly limits?: Partial<Limits>;
  /** What the workflow is made with: the document that it is asked about, for example. */
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
  /** How many entries its journal has. */
  readonly seq: number;
  readonly activeMs: number;
  /** Milliseconds since 1970, as every time of the API. */
  readonly startedAt: number;
  readonly updatedAt: number;
  readonly wakeAt?: number;
  /** Of a run that is done, and not as its user had hoped: the error's code. */
  readonly failure?: string;
  /** Why the run cannot go on here. */
  readonly missing?: 'workflow' | 'version' | 'structure';
  /** Why workers leave the run alone: it has crashed its process three times. */
  readonly parked?: ErrorInfo;
}

/** What a run has used so far. */
export interface RunUsage {
  readonly modelCalls: number;
  /** Of them, those that a cache answered. */
  readonly cachedCalls: number;
  readonly toolCalls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

export interface RunDetails extends RunSummary {
  readonly input: Json;
  /** Of a run that is done. */
  readonly output?: Json;
  readonly finalState?: string;
  /** Of a failed run, and of one that has come to a final state tagged `failure`. */
  readonly error?: ErrorInfo;
  /** Questions to a human. */
  readonly interrupts: readonly Interrupt[];
  /** Calls of which nobody knows whether they happened. */
  readonly inDoubt: readonly CallInDoubt[];
  /** Paths of the states that it is in, innermost ones only. */
  readonly position: readonly string[];
  readonly usage: RunUsage;
}

export interface RunList {
  readonly runs: readonly RunSummary[];
  /** For `before`: there are older ones. */
  readonly next?: string;
}

/** What waits for a human. */
export interface WaitingRun extends RunSummary {
  readonly interrupts: readonly Interrupt[];
  readonly inDoubt: readonly CallInDoubt[];
}

export interface WaitingList {
  readonly runs: readonly WaitingRun[];
  /** For `before`: there are older ones. */
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
  /** Key of a node of the journal, `state#visit`: everything before it is kept. */
  readonly at: string;
  readonly patch?: JsonObject;
  readonly repeatOnce?: boolean;
  readonly limits?: Partial<Limits>;
}

export interface ThreadSummary {
  readonly id: string;
  readonly workflow: string;
  /** What its user calls it, or its first input in one line. */
  readonly title: string;
  readonly updatedAt: number;
  /** Whether its newest run waits for a human. */
  readonly waiting: boolean;
  /** Of its newest run. */
  readonly status: RunStatus;
  /** How many runs it has. */
  readonly runs: number;
}

export interface ThreadList {
  readonly threads: readonly ThreadSummary[];
  /** For `before`: there may be more. A search looks through some of them at a time, and may find none among those. */
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

export interface NameThread {
  /** `null`: its first input again. */
  readonly title: string | null;
}

export interface Journal {
  readonly entries: readonly JournalEntry[];
  /** For `from`: there are more. */
  readonly next?: number;
}

/** Where a run was after an entry of its journal. */
export interface RunState {
  /** Paths of the states that it was in, innermost ones only. */
  readonly position: readonly string[];
  readonly state: JsonObject;
}

/** What is gone. */
export interface RemovedRuns {
  /** How many runs. */
  readonly deleted: number;
  /** How many memories of users that these runs had kept. */
  readonly memories: number;
}

/** A document that was given to the server. */
export interface DocumentSummary {
  readonly id: string;
  /** As its sender has called it. */
  readonly name: string;
  readonly title: string;
  /** Milliseconds since 1970. */
  readonly addedAt: number;
}

export interface DocumentDetails extends DocumentSummary {
  /** Articles, exhibits and what stands outside of them, in the order of the text. */
  readonly outline: readonly DocumentPart[];
  /** What a reader should look at. */
  readonly notices: readonly { readonly code: string; readonly message: string; readonly partId?: string }[];
  readonly facts: JsonObject;
  /** The whole text; absent in the answer to its upload. */
  readonly text?: string;
}

/** A part of a document; its places count UTF-16 units of the text. */
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

/** A tool as a reader sees it. */
export interface ToolSummary {
  readonly name: string;
  readonly description: string;
  readonly effect: string;
  readonly risk: string;
  /** What it touches: `private`, `untrusted`, `external`. */
  readonly capabilities: readonly string[];
  readonly available: boolean;
  /** Why it cannot be used. */
  readonly whyNot?: string;
}

/** What answers. */
export interface ModelInfo {
  /** Absent: rules answer. */
  readonly name?: string;
  /** Of its server. */
  readonly address?: string;
  /** Rules answer. */
  readonly offline: boolean;
}

interface ById {
  readonly id: string;
}

/** What each route takes and answers. */
export interface Calls {
  readonly listWorkflows: { readonly answer: readonly WorkflowSummary[] };
  readonly getWorkflow: { readonly params: ById; readonly answer: WorkflowDetails };
  readonly getDrawing: { readonly params: ById; readonly answer: MachineLayout };
  readonly getPromises: { readonly params: ById; readonly answer: PromiseReport };
  readonly startRun: { readonly body: StartRun; readonly answer: RunDetails };
  readonly listRuns: {
    readonly query: {
      readonly workflow?: string;
      readonly status?: RunStatus;
      readonly threadId?: string;
      readonly limit?: number;
      readonly before?: string;
    };
    readonly answer: RunList;
  };
  readonly listWaiting: { readonly query?: { readonly limit?: number; readonly before?: string }; readonly answer: WaitingList };
  readonly getRun: { readonly params: ById; readonly answer: RunDetails };
  readonly streamEvents: { readonly params: ById; readonly query: { readonly from?: number; readonly follow?: boolean } };
  readonly getJournal: {
    readonly params: ById;
    readonly query: { readonly from?: number; readonly limit?: number };
    readonly answer: Journal;
  };
  readonly answerRun: { readonly params: ById; readonly body: Answer; readonly answer: RunDetails };
  readonly resolveCall: { readonly params: ById; readonly body: ResolveCall; readonly answer: RunDetails };
  readonly cancelRun: { readonly params: ById; readonly answer: RunDetails };
  readonly resumeRun: { readonly params: ById; readonly answer: RunDetails };
  readonly pauseRun: { readonly params: ById; readonly answer: RunDetails };
  readonly releaseRun: { readonly params: ById; readonly answer: RunDetails };
  readonly forkRun: { readonly params: ById; readonly body: ForkRun; readonly answer: RunDetails };
  readonly listThreads: {
    readonly query: { readonly q?: string; readonly workflow?: string; readonly limit?: number; readonly before?: string };
    readonly answer: ThreadList;
  };
  readonly getThread: { readonly params: ById; readonly answer: ThreadDetails };
  readonly nameThread: { readonly params: ById; readonly body: NameThread; readonly answer: ThreadSummary };
  readonly deleteRun: { readonly params: ById; readonly answer: RemovedRuns };
  readonly deleteThread: { readonly params: ById; readonly answer: RemovedRuns };
  readonly getState: { readonly params: ById; readonly query: { readonly at?: number }; readonly answer: RunState };
  /** A test for vitest, as text. */
  readonly getTest: { readonly params: ById; readonly answer: string };
  readonly listDocuments: { readonly answer: readonly DocumentSummary[] };
  /** The body is multipart/form-data with one `file`. */
  readonly addDocument: { readonly answer: DocumentDetails };
  readonly getDocument: { readonly params: ById; readonly answer: DocumentDetails };
  readonly compareDocument: { readonly params: ById; readonly query: { readonly with?: string }; readonly answer: ContractComparison };
  readonly deleteDocument: { readonly params: ById; readonly answer: { readonly deleted: number } };
  readonly listMemories: {
    readonly query: { readonly user?: string; readonly q?: string };
    readonly answer: { readonly memories: readonly MemoryRecord[] };
  };
  readonly exportMemories: { readonly query: { readonly user?: string }; readonly answer: MemoryExport };
  readonly forgetMemories: { readonly query: { readonly user: string }; readonly answer: { readonly deleted: number } };
  readonly forgetMemory: {
    readonly params: ById;
    readonly query: { readonly user?: string };
    readonly answer: { readonly deleted: number };
  };
  readonly releaseMemory: {
    readonly params: ById;
    readonly query: { readonly user?: string };
    readonly answer: { readonly released: number };
  };
  readonly listTools: { readonly answer: readonly ToolSummary[] };
  readonly getModel: { readonly answer: ModelInfo };
  /** Text, as Prometheus reads it. */
  readonly getMetrics: { readonly answer: string };
  readonly getOpenApi: { readonly answer: JsonObject };
}
