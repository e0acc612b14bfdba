import type { ApiError } from '../api/api-error.ts';
import type { DocumentItem, Entry, ModelInfo, RunItem, ThreadItem, WaitingItem, WorkflowDetails, WorkflowInfo } from '../api/wire.ts';
import type { RunLog } from '../model/run-log.ts';

/** Everything that the page shows. */
export interface StudioState {
  readonly ready: boolean;
  /** What keeps the page from beginning. */
  readonly refused?: ApiError;
  /** Since when the server cannot be reached, in milliseconds since 1970. */
  readonly lostSince?: number;
  readonly workflows: readonly WorkflowInfo[];
  readonly details: Readonly<Record<string, WorkflowDetails>>;
  readonly model?: ModelInfo;
  readonly threads: readonly ThreadItem[];
  readonly search: string;
  readonly searchFailed?: string;
  readonly waiting: readonly WaitingItem[];
  readonly place: Place;
  readonly runs: Readonly<Record<string, RunState>>;
  readonly documents: readonly DocumentItem[];
  /** What this page has answered, by `answerKey`. */
  readonly answers: Readonly<Record<string, AnswerState>>;
}

/** What the middle column is about. */
interface Place {
  readonly threadId?: string;
  /** Of a new thread, which has no run yet. */
  readonly workflow?: string;
  /** Of the thread, oldest first. */
  readonly runIds: readonly string[];
  readonly loading: boolean;
  readonly trouble?: ApiError;
  /** The run that the right column shows; the newest one when absent. */
  readonly chosen?: string;
}

/** A run as far as the page knows it. */
export interface RunState {
  readonly id: string;
  readonly workflow: string;
  readonly question: string;
  readonly info?: RunItem;
  readonly log: RunLog;
  /** Of the last message of its stream. */
  readonly lastId?: string | undefined;
  readonly entries: readonly Entry[];
  readonly following: boolean;
  /** It was at work while this page looked on. */
  readonly seenLive: boolean;
  /** The run that this one was forked from. */
  readonly forkOf?: string;
  /** The start was refused. */
  readonly trouble?: ApiError;
}

export interface AnswerState {
  readonly type: string;
  readonly state: 'sending' | 'sent' | 'refused';
  readonly trouble?: ApiError;
}

/** Of the answer to an interrupt, or to a call in doubt. */
export const answerKey = (runId: string, id: string): string => `${runId} ${id}`;
