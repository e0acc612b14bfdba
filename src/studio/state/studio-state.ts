import type { PromiseReport } from '../../core/ports/promise-report.ts';
import type { HistoryEntry } from '../../engine/run/runtime.ts';
import type {
  DocumentDetails,
  DocumentSummary,
  ModelInfo,
  RunDetails,
  ThreadSummary,
  WaitingRun,
  WorkflowDetails,
  WorkflowSummary,
} from '../../server/api/calls.ts';
import type { ApiFailure } from '../../server/client/api-failure.ts';
import type { RunLog } from '../model/run-log.ts';

export interface StudioState {
  readonly ready: boolean;
  /** Error that prevents the page from starting. */
  readonly refused?: ApiFailure;
  /** Time since which the server is unreachable, in milliseconds since 1970. */
  readonly lostSince?: number;
  /** Time until which the server rejects requests, in milliseconds since 1970. */
  readonly heldUntil?: number;
  readonly workflows: readonly WorkflowSummary[];
  readonly details: Readonly<Record<string, WorkflowDetails>>;
  /** Promises of the machines that were requested so far. */
  readonly reports: Readonly<Record<string, PromisesState>>;
  readonly model?: ModelInfo;
  readonly threads: readonly ThreadSummary[];
  readonly search: string;
  readonly searchFailed?: string;
  readonly waiting: readonly WaitingRun[];
  /** True when older runs wait too. */
  readonly moreWaits: boolean;
  /** Number of waiting runs to request. */
  readonly waitingShown: number;
  /** True if the server shows evals. */
  readonly hasEvals: boolean;
  readonly place: Place;
  readonly runs: Readonly<Record<string, RunState>>;
  readonly documents: readonly KnownDocument[];
  /** Answers sent by this page, by `answerKey`. */
  readonly answers: Readonly<Record<string, AnswerState>>;
}

export interface PromisesState {
  readonly report?: PromiseReport;
  readonly reading: boolean;
  readonly trouble?: string;
}

/** An uploaded document; with its outline and notices if this page uploaded it. */
export type KnownDocument = DocumentSummary & Partial<Pick<DocumentDetails, 'outline' | 'notices'>>;

/** Thread or workflow of the middle column. */
interface Place {
  readonly threadId?: string;
  /** Workflow of a new thread, which has no run yet. */
  readonly workflow?: string;
  /** Runs of the thread, oldest first. */
  readonly runIds: readonly string[];
  readonly loading: boolean;
  readonly trouble?: ApiFailure;
  /** Run shown in the right column. Absent: the newest one. */
  readonly chosen?: string;
}

export interface RunState {
  readonly id: string;
  readonly workflow: string;
  readonly question: string;
  readonly info?: RunDetails;
  readonly log: RunLog;
  /** Id of the last message of its stream. */
  readonly lastId?: string | undefined;
  readonly entries: readonly HistoryEntry[];
  readonly following: boolean;
  /** True when the run was active while this page showed it. */
  readonly seenLive: boolean;
  /** The run that this one was forked from. */
  readonly forkOf?: string;
  /** Error of a rejected start. */
  readonly trouble?: ApiFailure;
}

export interface AnswerState {
  readonly type: string;
  readonly state: 'sending' | 'sent' | 'refused';
  readonly trouble?: ApiFailure;
}

/** Key of the answer to an interrupt or to a call in doubt. */
export const answerKey = (runId: string, id: string): string => `${runId} ${id}`;
