import type { Clock } from './clock.ts';
import type { Json, JsonObject } from './json.ts';
import type { RunEvent } from './run-event.ts';
import type { RunStorage } from './run-storage.ts';

/** A value, now or later: a store that answers at once saves its caller a turn of the event loop. */
export type Awaitable<T> = T | Promise<T>;

/** Every status that a run can have. */
export const runStatuses = ['queued', 'running', 'paused', 'waiting', 'in_doubt', 'done', 'failed', 'cancelled'] as const;

/**
 * - `queued`: waits for its thread · `running`: owned, or left behind by a process that died · `paused`: suspended, to be resumed
 * - `waiting`: for a human's event · `in_doubt`: for a human's word on a `once` call
 * - `done`, `failed`, `cancelled`: ended; only `failed` may be resumed
 */
export type RunStatus = (typeof runStatuses)[number];

/** A run with which nobody goes on any more. */
export const hasEndedForGood = (status: RunStatus): status is 'done' | 'cancelled' => status === 'done' || status === 'cancelled';
/** A run that has ended; one that is `failed` may be resumed all the same. */
export const hasEnded = (status: RunStatus): boolean => hasEndedForGood(status) || status === 'failed';

/** Crashes in a row, without a new entry in the journal, after which a run is not resumed by itself. */
export const maxCrashes = 3;

/** One line of a run's journal. Order is `seq`; what came first is delivered first, now and in every replay. */
export interface JournalEntry {
  /** From 1, without gaps. The first is the `start`. */
  readonly seq: number;
  /** `state#visit` of a node, wait or timer; `state#visit/step` of a step; `run` for `start` and `settle`. */
  readonly key: string;
  readonly kind: EntryKind;
  readonly outcome: Json;
  /** Events that became final with this entry. */
  readonly events: readonly RunEvent[];
  /** The lease under which it was written. */
  readonly epoch: number;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/**
 * - `start` the run's input · `settle` why it stopped being driven: a result, a wait, a pause, another version of the machine
 * - `node` a node's outcome · `event` a human's event · `timer-start` when a timer is due · `timer` it fired
 * - `intent` a `once` step is about to run · `step` a step's outcome · `retry` a human says to run a step in doubt again
 * - `limits` what the run was allowed when it was resumed · `offer` a changed offer that was accepted when it was resumed
 */
export type EntryKind = 'start' | 'settle' | 'node' | 'event' | 'timer-start' | 'timer' | 'intent' | 'step' | 'retry' | 'limits' | 'offer';

/** What is known of a run without reading its journal. */
export interface RunRecord {
  readonly id: string;
  readonly workflow: string;
  readonly version: string;
  /** Hash of the machine's structure; the structure itself is `readStructure(hash)`. */
  readonly structure: string;
  readonly threadId?: string;
  /** How urgent it is to go on with it; more is earlier. Absent: 0. */
  readonly priority?: number;
  /** Revision of the thread when the run started. */
  readonly threadRevision?: number;
  readonly status: RunStatus;
  /** How many entries the journal has. */
  readonly seq: number;
  /** The number of leases given so far. */
  readonly epoch: number;
  /** Times in a row that an owner was gone or its lease had expired when another one took over, without a new entry. */
  readonly crashes: number;
  /** Time spent driving it, in milliseconds. */
  readonly activeMs: number;
  readonly startedAt: number;
  readonly updatedAt: number;
  /** When somebody should go on with it, in milliseconds since 1970, while nobody drives it: its earliest timer, or when it was handed over. */
  readonly wakeAt?: number;
  /** Of a run that has come to a final state tagged `failure`: the code of the error that led there. */
  readonly failure?: string;
}

/** The pauses between looks at a run that others may write to. */
export interface RunWatch {
  /**
   * Waits, but not once the run has been written to since the last pause, or since the watch was begun.
   * @throws the reason of an abort.
   */
  pause(delayMs: number, clock: Pick<Clock, 'schedule'>, signal: AbortSignal | undefined): Promise<void>;
  stop(): void;
}

/** The right to write to a run. A write under a lease that another one has followed is refused. */
export interface Lease {
  readonly runId: string;
  readonly epoch: number;
}

export interface LeaseRequest {
  /** Who asks: unique per runtime. */
  readonly owner: string;
  /** How long the lease holds without a renewal, in milliseconds; 0 gives it up. */
  readonly leaseMs: number;
  /** The caller's wall clock, in milliseconds since 1970: for the record. It is never compared with another caller's. */
  readonly now: number;
  /** The caller's clock that never goes back, in milliseconds: what the leases of others are judged by. */
  readonly monotonic: number;
}

/** Whether a run may go on beside others that are driven. */
export type FitsBeside = (run: RunRecord, driven: readonly RunRecord[]) => boolean;

export interface AcquireRequest extends LeaseRequest {
  /** Take the run even from a live owner. @default false */
  readonly force?: boolean;
  /** Refuse a run at once that somebody else is changing at this moment, rather than wait for what becomes of it. @default false */
  readonly atOnce?: boolean;
  /**
   * How many entries the caller knows of the journal: where there are others, somebody has had the run meanwhile, and it is refused as
   * `RUN_FENCED`. @default not looked at
   */
  readonly seq?: number;
  /**
   * Whether the run may go on beside all others that are driven: `running`, under a lease that still holds. It is asked in the transaction
   * that gives the lease, so that two who ask cannot take the same room; it is synchronous, and may be called again. Default: it may
   */
  readonly fits?: FitsBeside;
}

export interface CancelRequest {
  /** Time of the entry, in milliseconds since 1970. */
  readonly now: number;
  /**
   * Numbers of entries and events in the journal that the caller has read: the `run-end` event follows them.
   * Default: the journal is not compared, and the entry has no event
   */
  readonly seen?: { readonly seq: number; readonly events: number };
}

/** A run that has just been ended for good. */
export interface CancelledRun {
  /** The lease under which the last entry was written. */
  readonly lease: Lease;
  readonly record: RunRecord;
  /** The last entry of the journal. */
  readonly entry: JournalEntry;
}

export interface NewRun extends Pick<RunRecord, 'id' | 'workflow' | 'version' | 'structure' | 'threadId' | 'priority'> {
  /** When the thread is taken: refuse the run, or keep it as `queued`. */
  readonly ifBusy: 'reject' | 'queue';
}

/** A run that its caller may drive. */
export interface AcquiredRun {
  readonly lease: Lease;
  readonly record: RunRecord;
  /** The name under which the store knows the owner of the lease. */
  readonly owner: string;
  /** The thread that the run now owns, as it was before the run. */
  readonly thread?: ThreadRecord;
}

/** What is removed: a run that belongs to no thread, or a thread with all its runs. */
export type RemovedPlace = { readonly runId: string } | { readonly threadId: string };

/** How a run has ended or is suspended. */
export interface Settlement {
  /** Absent when nothing has happened since the last `settle` entry. */
  readonly entry?: JournalEntry;
  readonly status: Exclude<RunStatus, 'queued' | 'running'>;
  readonly activeMs: number;
  readonly wakeAt?: number;
  /** The code of the error that led to a final state tagged `failure`. */
  readonly failure?: string;
  /** The version of the machine that the run belongs to from now on. Absent: the one that it belongs to. */
  readonly machine?: Pick<RunRecord, 'version' | 'structure'>;
  /** The thread's next state; its revision is raised by one. */
  readonly threadState?: Json;
}

export interface RunQuery {
  readonly workflow?: string;
  readonly threadId?: string;
  readonly status?: RunStatus;
  /** Runs whose timer is due at that time. */
  readonly dueBefore?: number;
  /** Id of a run: those that were created before it. None, for an unknown one. */
  readonly before?: string;
  /** @default 100 */
  readonly limit?: number;
}

export interface ThreadRecord {
  readonly id: string;
  readonly workflow: string;
  /** How many runs have changed the state. */
  readonly revision: number;
  readonly state: Json;
  /** The run that owns the thread. */
  readonly activeRun?: string;
  /** What its user calls it. Absent: nobody has named it. */
  readonly title?: string;
}

/** How many there are in a store. */
export interface StoreTally {
  readonly threads: number;
  /** Of each workflow and status that there is a run of. */
  readonly runs: readonly { readonly workflow: string; readonly status: RunStatus; readonly count: number }[];
}

/**
 * Where runs live. Every write is one transaction, and durable when the promise settles.
 *
 * All methods throw `STORE_UNAVAILABLE` (retryable) when the backend cannot be reached or written. `runStoreContract` in
 * `agent-machines/testing` holds the cases that an adapter must pass.
 */
export interface RunStore {
  /**
   * Adds a run with its first entries, all or nothing: the `start`, and in a fork what it keeps. Gives the caller its lease, and with a
   * `threadId` the thread, which it creates when it is new.
   * A thread is taken while a run owns it or waits for it; with `ifBusy: 'queue'` the run is then added as `queued`. It keeps its place
   * until it is taken or ended, whatever becomes of its process. The lease of epoch 0 that is given says who waits for it.
   * @throws {WorkflowError} `RUN_EXISTS`; `THREAD_BUSY` with the run that comes first, `THREAD_OF_OTHER_WORKFLOW`.
   */
  create(run: NewRun, entries: readonly [start: JournalEntry, ...JournalEntry[]], request: LeaseRequest): Awaitable<AcquiredRun>;
  /**
   * Takes over a run that nobody drives: every status but `done` and `cancelled`. Raises the epoch. A lease holds until its owner is
   * surely gone, or until the same caller has seen it without a renewal for as long as it holds, by the caller's monotonic clock.
   * @throws {WorkflowError} `RUN_UNKNOWN`; `RUN_BUSY` with `owner`, `ownerMayBeGone` (nobody here can tell: ask again) and `waitMs` (after
   *   which it is free without a renewal), or with `heldBack` when it does not fit, or is being changed; `RUN_ENDED`, and for its thread `THREAD_BUSY` or `THREAD_MOVED_ON`.
   */
  acquire(runId: string, request: AcquireRequest): Awaitable<AcquiredRun>;
  /** Which of these leases are no good any more: another one has followed, or the run has ended or was suspended. Cheap, as it is asked often. */
  lost(leases: readonly Lease[]): Awaitable<readonly Lease[]>;
  /** Keeps a run, or its place in the queue. @throws {WorkflowError} `RUN_FENCED` when another lease has followed. */
  renew(lease: Lease, request: LeaseRequest): Awaitable<void>;
  /** @throws {WorkflowError} `RUN_FENCED` when another lease has followed or `entry.seq` does not follow the last entry. */
  append(lease: Lease, entry: JournalEntry, activeMs: number): Awaitable<void>;
  /**
   * Writes the last entry of a lease, sets the status, and gives up the lease; an ended run gives up its thread too, if it had it.
   * @throws {WorkflowError} `RUN_FENCED`.
   */
  settle(lease: Lease, settlement: Settlement): Awaitable<void>;
  /**
   * Ends a run for good in one transaction, wherever it is driven: raises the epoch, so that its driver is fenced, adds the last entry and
   * gives up its thread. Of all callers, one succeeds.
   * @throws {WorkflowError} `RUN_UNKNOWN`; `RUN_ENDED` with `status`, also when another caller was first; `RUN_FENCED` when the journal has
   *   other entries than `seen`: read it again.
   */
  cancel(runId: string, request: CancelRequest): Awaitable<CancelledRun>;
  /** `undefined` for an unknown run. @throws {WorkflowError} `JOURNAL_CORRUPT`, `JOURNAL_MISSING` when the record was changed by something else. */
  read(runId: string): Awaitable<RunRecord | undefined>;
  /**
   * The whole journal, checked.
   * @throws {WorkflowError} `RUN_UNKNOWN`, `JOURNAL_MISSING` for a run without entries, `JOURNAL_CORRUPT` when its checksums do not hold.
   */
  journal(runId: string): Awaitable<readonly JournalEntry[]>;
  /** Newest first. For a look: a damaged record does not hide the others, so it is not checked. */
  list(query: RunQuery): Awaitable<readonly RunRecord[]>;
  /** `undefined` for an unknown thread. @throws {WorkflowError} `JOURNAL_CORRUPT` when it was changed by something else. */
  readThread(threadId: string): Awaitable<ThreadRecord | undefined>;
  /**
   * Names a thread, whoever owns it; `undefined` takes its name away. Runs are not disturbed.
   * @throws {WorkflowError} `THREAD_UNKNOWN`.
   */
  nameThread(threadId: string, title: string | undefined): Awaitable<void>;
  /** What these threads are called, by their ids; those without a name are missing. Cheap, as lists ask for it. */
  threadTitles(threadIds: readonly string[]): Awaitable<ReadonlyMap<string, string>>;
  /** Counts, without reading what is counted where the database can. */
  tally(): Awaitable<StoreTally>;
  /**
   * Removes a run or a thread for good: records, journals, events and state, all or nothing, so that their text is in no file of the store
   * any more. Returns how many runs it were. What others have copied, and backups, are not the store's.
   * @throws {WorkflowError} `RUN_UNKNOWN`, `THREAD_UNKNOWN`; `RUN_BUSY` while a run is driven or queued: cancel it first; `RUN_IN_THREAD`
   *   for a single run of a thread, whose state tells of all its runs.
   */
  remove(place: RemovedPlace): Awaitable<number>;
  /** Whether the owner of a lease may still be at work: false only when it is surely gone. `owner` is that of `AcquiredRun`. */
  mayLive(owner: string): boolean;
  /** Keeps the structure of a machine, so that a later version can name what changed. */
  saveStructure(hash: string, structure: JsonObject): Awaitable<void>;
  readStructure(hash: string): Awaitable<JsonObject | undefined>;
  /**
   * Begins to watch a run: before the first look at it, so that no change comes between a look and the pause after it. That somebody has
   * written is a hint, which may come late, twice, or not at all. Absent: nobody says so, and whoever waits looks after each pause.
   */
  watch?(runId: string): RunWatch;
  /** Calls back when somebody has taken over a run that was driven through this store: a hint as well. Returns how to end that. */
  onTakenOver?(callback: () => void): () => void;
  /** What it keeps runs in, for what keeps a store in order: it knows no rule of runs. Absent: of a store that has no such thing. */
  readonly storage?: RunStorage;
  close(): Awaitable<void>;
}
