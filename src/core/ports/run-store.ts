import type { Clock } from './clock.ts';
import type { ErrorInfo } from './error-info.ts';
import type { FleetState } from './fleet-state.ts';
import type { Json, JsonObject } from './json.ts';
import type { StoredEvent } from './run-event.ts';
import type { RunStorage } from './run-storage.ts';

/** A value, or a promise of it: a store that answers directly saves its caller a turn of the event loop. */
export type Awaitable<T> = T | Promise<T>;

/** All statuses of a run. */
export const runStatuses = ['queued', 'running', 'paused', 'waiting', 'in_doubt', 'done', 'failed', 'cancelled'] as const;

/**
 * - `queued`: waits for its thread · `running`: owned, or abandoned by a process that died · `paused`: suspended until resumed
 * - `waiting`: for a human's event · `in_doubt`: for a human's decision on a `once` call
 * - `done`, `failed`, `cancelled`: ended; only `failed` may be resumed
 */
export type RunStatus = (typeof runStatuses)[number];

/** True for a run that cannot be resumed. */
export const hasEndedForGood = (status: RunStatus): status is 'done' | 'cancelled' => status === 'done' || status === 'cancelled';
/** True for a run that has ended. A `failed` one may be resumed. */
export const hasEnded = (status: RunStatus): boolean => hasEndedForGood(status) || status === 'failed';

/**
 * Status of a run as users see it. A store keeps the end in a final state tagged `failure` as `done` with a `failure`; for users it has
 * failed.
 */
export const resultStatus = ({ status, failure }: Pick<RunRecord, 'status' | 'failure'>): RunStatus =>
  status === 'done' && failure !== undefined ? 'failed' : status;

/** Number of crashes in a row, without a new journal entry, after which a run is no longer resumed automatically. */
export const maxCrashes = 3;

/** One entry of a run's journal, ordered by `seq`. Every replay delivers entries in this order. */
export interface JournalEntry {
  /** From 1, without gaps. The first is the `start`. */
  readonly seq: number;
  /** `state#visit` of a node, wait or timer; `state#visit/step` of a step; `run` for `start` and `settle`. */
  readonly key: string;
  readonly kind: EntryKind;
  readonly outcome: Json;
  /** Events that became final with this entry. */
  readonly events: readonly StoredEvent[];
  /** Epoch of the lease that wrote it. */
  readonly epoch: number;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/**
 * - `start` the run's input · `settle` the reason why driving stopped: a result, a wait, a pause, another version of the machine
 * - `node` a node's outcome · `event` a human's event · `timer-start` the due time of a timer · `timer` it fired
 * - `intent` a `once` step is about to run · `step` a step's outcome · `retry` a human's decision to repeat a step in doubt
 * - `limits` new limits of a resumed run · `offer` a changed offer that was accepted when the run was resumed
 */
export type EntryKind = 'start' | 'settle' | 'node' | 'event' | 'timer-start' | 'timer' | 'intent' | 'step' | 'retry' | 'limits' | 'offer';

/** Summary of a run, readable without its journal. */
export interface RunRecord {
  readonly id: string;
  readonly workflow: string;
  readonly version: string;
  /** Hash of the machine's structure; the structure itself is `readStructure(hash)`. */
  readonly structure: string;
  readonly threadId?: string;
  /** Priority of resuming the run; larger means earlier. Absent: 0. */
  readonly priority?: number;
  /** Revision of the thread when the run started. */
  readonly threadRevision?: number;
  readonly status: RunStatus;
  /** Number of journal entries. */
  readonly seq: number;
  /** Number of leases granted so far. */
  readonly epoch: number;
  /** Number of takeovers in a row from a dead owner or an expired lease, without a new entry. */
  readonly crashes: number;
  /** Driving time in milliseconds. */
  readonly activeMs: number;
  readonly startedAt: number;
  readonly updatedAt: number;
  /**
   * Due time of the next resume, in milliseconds since 1970, while nothing drives the run: its earliest timer, or the time of its handover.
   */
  readonly wakeAt?: number;
  /** Present on a `waiting` run that only its timer can move. Absent for a question to a human, also one with a timer. */
  readonly sleeps?: true;
  /** Error code of a `failed` run, and of a run in a final state tagged `failure`. */
  readonly failure?: string;
}

/** Pauses between reads of a run that other processes may write to. */
export interface RunWatch {
  /**
   * Waits, unless the run was written since the last pause or since the watch started.
   * @throws the reason of an abort.
   */
  pause(delayMs: number, clock: Pick<Clock, 'schedule'>, signal: AbortSignal | undefined): Promise<void>;
  stop(): void;
}

/** The right to write to a run. A write is rejected once a newer lease exists. */
export interface Lease {
  readonly runId: string;
  readonly epoch: number;
}

export interface LeaseRequest {
  /** Name of the caller, unique per runtime. */
  readonly owner: string;
  /** Validity of the lease without a renewal, in milliseconds; 0 gives it up. */
  readonly leaseMs: number;
  /** The caller's wall clock in milliseconds since 1970. For the record; never compared with another caller's. */
  readonly now: number;
  /** The caller's monotonic clock in milliseconds, which decides about the leases of others. */
  readonly monotonic: number;
  /** Id of the key that the caller encrypts its entries with. Set by `encryptedStore`. @default '' for clear text */
  readonly keyId?: string;
}

/** True when a run may be driven together with the runs that already are. */
export type FitsBeside = (run: RunRecord, driven: readonly RunRecord[]) => boolean;

export interface AcquireRequest extends LeaseRequest {
  /** Takes the run even from a live owner. @default false */
  readonly force?: boolean;
  /** Fails immediately instead of waiting when another caller is changing the run. @default false */
  readonly atOnce?: boolean;
  /**
   * Number of journal entries that the caller has read. If the journal has others, the call fails with `RUN_FENCED`. @default not compared
   */
  readonly seq?: number;
  /** Epoch of the run that the caller has read. If another caller has acquired it since, the call fails with `RUN_BUSY`. @default not compared */
  readonly epoch?: number;
  /**
   * Decides whether the run may be driven beside all runs that are `running` under a valid lease. Called within the transaction that grants
   * the lease, so two callers cannot take the same slot. Synchronous; may be called again. Default: always
   */
  readonly fits?: FitsBeside;
}

export interface CancelRequest {
  /** Time of the entry, in milliseconds since 1970. */
  readonly now: number;
  /**
   * Numbers of journal entries and events that the caller has read; the `run-end` event follows them. Default: the journal is not compared,
   * and the entry has no event
   */
  readonly seen?: { readonly seq: number; readonly events: number };
}

/** A run that has just been ended for good. */
export interface CancelledRun {
  /** Lease of the last entry. */
  readonly lease: Lease;
  readonly record: RunRecord;
  /** The last entry of the journal. */
  readonly entry: JournalEntry;
}

export interface NewRun extends Pick<RunRecord, 'id' | 'workflow' | 'version' | 'structure' | 'threadId' | 'priority'> {
  /** Behaviour if the thread is taken: reject the run, or store it as `queued`. */
  readonly ifBusy: 'reject' | 'queue';
}

/** A run that its caller may drive. */
export interface AcquiredRun {
  readonly lease: Lease;
  readonly record: RunRecord;
  /** The store's name of the lease owner. */
  readonly owner: string;
  /** The run's thread as it was before the run. */
  readonly thread?: ThreadRecord;
}

/** Target of a removal: a run without a thread, or a thread with all its runs. */
export type RemovedPlace = { readonly runId: string } | { readonly threadId: string };

/** End or suspension of a run. */
export interface Settlement {
  /** Absent if nothing happened since the last `settle` entry. */
  readonly entry?: JournalEntry;
  readonly status: Exclude<RunStatus, 'queued' | 'running'>;
  readonly activeMs: number;
  readonly wakeAt?: number;
  /** See `RunRecord`. */
  readonly sleeps?: true;
  /** Error code of a `failed` run, and of a run in a final state tagged `failure`. */
  readonly failure?: string;
  /** The run's new machine version. Absent: unchanged. */
  readonly machine?: Pick<RunRecord, 'version' | 'structure'>;
  /** The thread's next state; its revision grows by one. */
  readonly threadState?: Json;
}

export interface RunQuery {
  readonly workflow?: string;
  readonly threadId?: string;
  /** Status as `get` reports it. */
  readonly status?: RunStatus;
  readonly state?: FleetState;
  /** Error code of failed runs. */
  readonly code?: string;
  /** Only runs without a new journal entry since that time, in milliseconds since 1970. */
  readonly updatedBefore?: number;
  /** Only runs whose timer is due at that time. */
  readonly dueBefore?: number;
  /** Prefix of run ids, `[A-Za-z0-9_-]`. SQLite and PostgreSQL find it by an index. */
  readonly idPrefix?: string;
  /** Id of a run; only older runs are returned, and none if the id is unknown. */
  readonly before?: string;
  /** @default 100 */
  readonly limit?: number;
}

/** Query of a store. Its records keep the end in a final state tagged `failure` as `done` with a `failure`. */
export interface StoreQuery extends Omit<RunQuery, 'status'> {
  /** Status as stored. */
  readonly status?: RunStatus;
  /** Status as users see it: `failed` includes the records that are `done` with a `failure`, and `done` excludes them. */
  readonly resultStatus?: RunStatus;
}

/** Which runs of a thread to return. */
export interface TurnQuery {
  /** The newest first, or the oldest. @default 'newest' */
  readonly order?: 'newest' | 'oldest';
  /** Id of a run; only runs behind it in this order are returned, and none if it is not one of the thread. */
  readonly beyond?: string;
  /** Maximum number of runs; 0 only counts them. @default 30 */
  readonly limit?: number;
}

/** A run with its journal, or with the error of a damaged one. */
export type StoredTurn =
  | { readonly record: RunRecord; readonly entries: readonly JournalEntry[] }
  | { readonly record: RunRecord; readonly damage: ErrorInfo };

/** Some runs of a thread, in the order of the query. */
export interface StoredTurns {
  /** Number of runs of the thread. */
  readonly total: number;
  /** Number of runs before these in the order of the query. */
  readonly skipped: number;
  readonly turns: readonly StoredTurn[];
}

export interface ThreadRecord {
  readonly id: string;
  readonly workflow: string;
  /** Number of runs that have changed the state. */
  readonly revision: number;
  readonly state: Json;
  /** The run that owns the thread. */
  readonly activeRun?: string;
  /** The user's name for it. Absent: unnamed. */
  readonly title?: string;
}

/** A person's rating of a run. */
export type RunRating = 'up' | 'down';

/** Counts of a store's contents. */
export interface StoreTally {
  readonly threads: number;
  /** One group per workflow, state and error code that has a run. */
  readonly runs: readonly RunGroup[];
}

/** Runs of one workflow in one state. */
export interface RunGroup {
  readonly workflow: string;
  readonly state: FleetState;
  /** Error code of `failed` runs. */
  readonly code?: string;
  readonly count: number;
  /** Smallest `updatedAt` of the group: since when its oldest run is in this state, or the last sign of life of a `running` one. */
  readonly oldestAt: number;
}

/**
 * Storage of runs. Every write is one transaction and durable once the promise settles.
 *
 * All methods throw `STORE_UNAVAILABLE` (retryable) if the backend cannot be reached or written. An adapter must pass the cases of
 * `runStoreContract` in `agent-machines/testing`.
 */
export interface RunStore {
  /**
   * Adds a run with its first entries, all or nothing: the `start`, and in a fork the copied entries. It grants the caller the lease and,
   * with a `threadId`, the thread; a new thread is created. A thread is taken while a run owns or awaits it. With `ifBusy: 'queue'` the run
   * is then added as `queued` and keeps its place until it is taken or ended, even if its process dies. The returned lease of epoch 0 names
   * the waiting owner.
   * @throws {WorkflowError} `RUN_EXISTS`; `THREAD_BUSY` with the run that comes first; `THREAD_OF_OTHER_WORKFLOW`.
   */
  create(run: NewRun, entries: readonly [start: JournalEntry, ...JournalEntry[]], request: LeaseRequest): Awaitable<AcquiredRun>;
  /**
   * Takes over a run without a driver, in any status but `done` and `cancelled`, and raises the epoch. A lease ends when its owner is
   * surely gone, or when the same caller has seen no renewal for its whole validity by the caller's monotonic clock.
   * @throws {WorkflowError} `RUN_UNKNOWN`; `RUN_BUSY` with `owner`, `ownerMayBeGone` (not decidable here: retry) and `waitMs` (time until
   * it is free without a renewal), or with `heldBack` if it does not fit or is being changed; `RUN_ENDED`; for its thread `THREAD_BUSY` or
   * `THREAD_MOVED_ON`.
   */
  acquire(runId: string, request: AcquireRequest): Awaitable<AcquiredRun>;
  /**
   * Returns the leases that are no longer valid, because a newer one exists or the run has ended or was suspended. Cheap, because it is
   * called often.
   */
  lost(leases: readonly Lease[]): Awaitable<readonly Lease[]>;
  /** Renews a lease, or a place in the queue. @throws {WorkflowError} `RUN_FENCED` when a newer lease exists. */
  renew(lease: Lease, request: LeaseRequest): Awaitable<void>;
  /** @throws {WorkflowError} `RUN_FENCED` when a newer lease exists or `entry.seq` does not follow the last entry. */
  append(lease: Lease, entry: JournalEntry, activeMs: number): Awaitable<void>;
  /**
   * Writes the last entry of a lease, sets the status and gives up the lease. An ended run also gives up its thread.
   * @throws {WorkflowError} `RUN_FENCED`.
   */
  settle(lease: Lease, settlement: Settlement): Awaitable<void>;
  /**
   * Ends a run for good in one transaction, even if another process drives it. It raises the epoch, which fences the driver, adds the last
   * entry and gives up the thread. Of all callers, one succeeds.
   * @throws {WorkflowError} `RUN_UNKNOWN`; `RUN_ENDED` with `status`, also when another caller was first; `RUN_FENCED` when the journal has
   * other entries than `seen`: read it again.
   */
  cancel(runId: string, request: CancelRequest): Awaitable<CancelledRun>;
  /**
   * `undefined` for an unknown run. @throws {WorkflowError} `JOURNAL_CORRUPT`, `JOURNAL_MISSING` when the record was changed outside the
   * store.
   */
  read(runId: string): Awaitable<RunRecord | undefined>;
  /**
   * Returns the whole journal, checked.
   * @throws {WorkflowError} `RUN_UNKNOWN`, `JOURNAL_MISSING` for a run without entries, `JOURNAL_CORRUPT` when its checksums do not match.
   */
  journal(runId: string): Awaitable<readonly JournalEntry[]>;
  /** Newest first. Not checked, so that a damaged record does not hide the others. */
  list(query: StoreQuery): Awaitable<readonly RunRecord[]>;
  /**
   * Returns some runs of a thread with their journals, checked. The work does not depend on the number of the others. None for an unknown
   * thread.
   */
  turns(threadId: string, query: TurnQuery): Awaitable<StoredTurns>;
  /** `undefined` for an unknown thread. @throws {WorkflowError} `JOURNAL_CORRUPT` when it was changed outside the store. */
  readThread(threadId: string): Awaitable<ThreadRecord | undefined>;
  /**
   * Names a thread, even while a run owns it; `undefined` removes the name. Runs are not affected.
   * @throws {WorkflowError} `THREAD_UNKNOWN`.
   */
  nameThread(threadId: string, title: string | undefined): Awaitable<void>;
  /** Titles of these threads by id; threads without a title are missing. Cheap, because lists call it. */
  threadTitles(threadIds: readonly string[]): Awaitable<ReadonlyMap<string, string>>;
  /**
   * Rates a run; `undefined` removes the rating. It is stored beside the run, not in its journal, and removed with the run. Absent: the
   * store keeps no ratings.
   * @throws {WorkflowError} `RUN_UNKNOWN`.
   */
  rate?(runId: string, rating: RunRating | undefined): Awaitable<void>;
  /** Ratings of these runs by id; runs without a rating are missing. */
  ratings?(runIds: readonly string[]): Awaitable<ReadonlyMap<string, RunRating>>;
  /** Counts runs and threads, without reading them where the database can. */
  tally(): Awaitable<StoreTally>;
  /**
   * Removes a run or a thread for good: records, journals, events and state, all or nothing, so that no file of the store holds their text.
   * Returns the number of runs. Copies and backups are outside the store's reach.
   * @throws {WorkflowError} `RUN_UNKNOWN`, `THREAD_UNKNOWN`; `RUN_BUSY` while a run is driven or queued: cancel it first; `RUN_IN_THREAD`
   * for a single run of a thread, because the thread's state contains all its runs.
   */
  remove(place: RemovedPlace): Awaitable<number>;
  /** False only when the owner of a lease is surely gone. `owner` is that of `AcquiredRun`. */
  mayLive(owner: string): boolean;
  /** Stores the structure of a machine, so that a later version can name the differences. */
  saveStructure(hash: string, structure: JsonObject): Awaitable<void>;
  readStructure(hash: string): Awaitable<JsonObject | undefined>;
  /**
   * Starts to watch a run. Call it before the first read, so that no change is missed between a read and the pause after it. A notification
   * is a hint: it may be late, repeated or missing. Absent: no notifications; callers read after each pause.
   */
  watch?(runId: string): RunWatch;
  /** Calls back after a takeover of a run that this store was driving; also a hint. Returns the function that unsubscribes. */
  onTakenOver?(callback: () => void): () => void;
  /** The storage behind the store, for maintenance; it knows no rule of runs. Absent for a store without one. */
  readonly storage?: RunStorage;
  close(): Awaitable<void>;
}
