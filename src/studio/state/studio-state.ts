import type {
  DocumentDetails,
  DocumentSummary,
  ModelInfo,
  RunDetails,
  ThreadSummary,
  WaitingRun,
  WorkflowDetails,
  WorkflowSummary,
} from '../../api/calls.ts';
import type { ApiFailure } from '../../client/api-failure.ts';
import type { PromiseReport } from '../../ports/promise-report.ts';
import type { JournalEntry } from '../../ports/run-store.ts';
import type { RunLog } from '../model/run-log.ts';

/** Everything that the page shows. */
export interface StudioState {
  readonly ready: boolean;
  /** What keeps the page from beginning. */
  readonly refused?: ApiFailure;
  /** Since when the server cannot be reached, in milliseconds since 1970. */
  readonly lostSince?: number;
  /** Until when the server takes nothing more, in milliseconds since 1970. */
  readonly heldUntil?: number;
  readonly workflows: readonly WorkflowSummary[];
  readonly details: Readonly<Record<string, WorkflowDetails>>;
  /** What the machines promise, as far as somebody has asked. */
  readonly reports: Readonly<Record<string, PromisesState>>;
  readonly model?: ModelInfo;
  readonly threads: readonly ThreadSummary[];
  readonly search: string;
  readonly searchFailed?: string;
  readonly waiting: readonly WaitingRun[];
  /** Older ones wait, too. */
  readonly moreWaits: boolean;
  /** How many of those that wait are asked for. */
  readonly waitingShown: number;
  readonly place: Place;
  readonly runs: Readonly<Record<string, RunState>>;
  readonly documents: readonly KnownDocument[];
  /** What this page has answered, by `answerKey`. */
  readonly answers: Readonly<Record<string, AnswerState>>;
}

export interface PromisesState {
  readonly report?: PromiseReport;
  readonly reading: boolean;
  readonly trouble?: string;
}

/** A document that was uploaded: by this page, with what was read of it. */
export type KnownDocument = DocumentSummary & Partial<Pick<DocumentDetails, 'outline' | 'notices'>>;

/** What the middle column is about. */
interface Place {
  readonly threadId?: string;
  /** Of a new thread, which has no run yet. */
  readonly workflow?: string;
  /** Of the thread, oldest first. */
  readonly runIds: readonly string[];
  readonly loading: boolean;
  readonly trouble?: ApiFailure;
  /** The run that the right column shows; the newest one when absent. */
  readonly chosen?: string;
}

/** A run as far as the page knows it. */
export interface RunState {
  readonly id: string;
  readonly workflow: string;
  readonly question: string;
  readonly info?: RunDetails;
  readonly log: RunLog;
  /** Of the last message of its stream. */
  readonly lastId?: string | undefined;
  readonly entries: readonly JournalEntry[];
  readonly following: boolean;
  /** It was at work while this page looked on. */
  readonly seenLive: boolean;
  /** The run that this one was forked from. */
  readonly forkOf?: string;
  /** The start was refused. */
  readonly trouble?: ApiFailure;
}

export interface AnswerState {
  readonly type: string;
  readonly state: 'sending' | 'sent' | 'refused';
  readonly trouble?: ApiFailure;
}

/** Of the answer to an interrupt, or to a call in doubt. */
export const answerKey = (runId: string, id: string): string => `${runId} ${id}`;
