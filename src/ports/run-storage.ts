import type { JsonObject } from './json.ts';
import type { Awaitable, JournalEntry, Lease, RemovedPlace, RunQuery, RunRecord, RunWatch, StoreTally, ThreadRecord } from './run-store.ts';

/** A run as a storage keeps it. */
export interface StoredRun {
  readonly record: RunRecord;
  /** Who drives it, or keeps its place in the queue; absent while nobody does. */
  readonly lease?: StoredLease | undefined;
}

export interface StoredLease {
  /** As the store names it. */
  readonly owner: string;
  /** How long it holds without a renewal, in milliseconds. */
  readonly leaseMs: number;
  /** When it was given or renewed, by the owner's wall clock, in milliseconds since 1970: for the record. */
  readonly renewedAt: number;
  /** Grows with every renewal. */
  readonly heartbeat: number;
}

/** What is looked at before a run is changed. */
export interface RunPlace {
  readonly runId: string;
  /** The thread of a run that is new. One that is stored says itself which thread is its own. */
  readonly threadId?: string | undefined;
  /** The run alone, its thread too, or also who waits for the thread. */
  readonly reads: 'run' | 'thread' | 'queue';
  /**
   * Also all runs that are `running`. Who asks for them stands in line: whatever another one has made of a run, who asked for them as well, is
   * seen. Runs that somebody takes without asking for them may change meanwhile.
   */
  readonly driven?: boolean | undefined;
  /** Do not wait for who is changing the run, where one would: throw `RUN_BUSY`. A storage that waits all the same is as right. */
  readonly atOnce?: boolean | undefined;
}

export interface FoundRun {
  /** Absent when there is none of that id. */
  readonly run?: StoredRun | undefined;
  /** Absent when the run has none, or when it was not to be read. */
  readonly thread?: FoundThread | undefined;
  /** Of a place with `driven`: every run that is `running`, in any order. */
  readonly driven?: readonly StoredRun[] | undefined;
}

export interface FoundThread {
  /** Absent when there is none of that id. */
  readonly record?: ThreadRecord | undefined;
  /** Of its runs that are `queued`, the one that was created first. */
  readonly firstQueued?: string | undefined;
  /** What to throw when there is no record though runs of it are stored: for a storage in which that can come to be. */
  readonly lost?: Error | undefined;
}

/** What becomes of a run. All of it is written, or nothing. */
export interface RunChange {
  readonly run: StoredRun;
  /** To be added behind the last one; most often one, or none. */
  readonly entries: readonly JournalEntry[];
  /** The thread, when it changes. */
  readonly thread?: ThreadRecord | undefined;
}

/** What becomes of a note. */
export interface NoteDecision {
  readonly text: string;
}

/** How far a run is. */
export type RunHead = Pick<RunRecord, 'id' | 'epoch' | 'status'>;

/**
 * What `createRunStore` needs of a database: it keeps and finds, and knows no rule of runs. Records are kept in the order in which they
 * were created. Every method may answer at once or by a promise, and throws `STORE_UNAVAILABLE` (retryable) when the database cannot be
 * reached.
 */
export interface RunStorage {
  /**
   * One transaction: reads a place, gives it to `decide`, and writes what that returns, so that nobody else can write in between. What
   * `decide` throws ends the transaction with nothing written. `decide` is synchronous and may be called again, on what is stored by then.
   *
   * @returns what was written
   */
  change<TChange extends RunChange>(place: RunPlace, decide: (found: FoundRun) => TChange): Awaitable<TChange>;
  /**
   * The one change of which there are many, made in one go: adds an entry to a run that is `running` in the epoch of this lease and has all
   * entries before this one, and makes the record say what `advancedRecord` says. False when the run is not like that, with nothing written:
   * then `change` finds out why. Absent: every entry is a `change`.
   */
  advance?(lease: Lease, entry: JournalEntry, activeMs: number): Awaitable<boolean>;
  /** `undefined` for an unknown run. */
  read(runId: string): Awaitable<StoredRun | undefined>;
  /** The whole journal by `seq`, which has its start at least; `undefined` for an unknown run. */
  journal(runId: string): Awaitable<readonly JournalEntry[] | undefined>;
  /** Those of these runs that there are, in any order. Asked five times a second while runs are driven. */
  heads(runIds: readonly string[]): Awaitable<readonly RunHead[]>;
  /** The last created first. `matchesQuery` says of one record whether it fits, `findRecords` answers from all of them. */
  list(query: RunQuery & { readonly limit: number }): Awaitable<readonly RunRecord[]>;
  /** As of `RunStore`. Absent: each thread is read. */
  threadTitles?(threadIds: readonly string[]): Awaitable<ReadonlyMap<string, string>>;
  /** Absent: all records are listed, and counted. */
  tally?(): Awaitable<StoreTally>;
  /** As for `reads: 'thread'`. */
  readThread(threadId: string): Awaitable<FoundThread>;
  /**
   * One transaction: gives the records of each place to `decide`, and removes them with their journals, and the thread when it is one. What
   * `decide` throws ends it with nothing removed. When it settles, the text is in no file any more. Returns how many runs it were.
   */
  remove(places: readonly RemovedPlace[], decide: (place: RemovedPlace, records: readonly RunRecord[]) => void): Awaitable<number>;
  /** Keeps the one that is there, should there be one of that hash. */
  saveStructure(hash: string, structure: JsonObject): Awaitable<void>;
  readStructure(hash: string): Awaitable<JsonObject | undefined>;
  /**
   * One transaction: gives the text under a name to `decide`, and keeps the one that it returns. `decide` is synchronous and may be called
   * again. What is kept so is of no run: `now` is the database's own clock, one for all who share it, in milliseconds since 1970. Absent:
   * nothing is shared through it but runs.
   */
  note?<T extends NoteDecision>(name: string, decide: (text: string | undefined, now: number) => T): Awaitable<T>;
  /**
   * The database's own clock, in milliseconds since 1970, for one that several machines share: a runtime without a `clock` takes its timers
   * and schedules from it. Absent: each machine's clock is taken.
   */
  now?(): Awaitable<number>;
  /** As of `RunStore`: for a database that tells its clients what others write. */
  watch?(runId: string): RunWatch;
  onTakenOver?(callback: () => void): () => void;
  close(): Awaitable<void>;
}
