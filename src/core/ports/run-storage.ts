import type { JsonObject } from './json.ts';
import type {
  Awaitable,
  JournalEntry,
  Lease,
  RemovedPlace,
  RunRating,
  RunRecord,
  RunWatch,
  StoredTurns,
  StoreQuery,
  StoreTally,
  ThreadRecord,
  TurnQuery,
} from './run-store.ts';

/** A run as a storage keeps it. */
export interface StoredRun {
  readonly record: RunRecord;
  /** The driver's lease, or a place in the queue; absent if nothing drives the run. */
  readonly lease?: StoredLease | undefined;
}

export interface StoredLease {
  /** The store's name of the owner. */
  readonly owner: string;
  /** Validity without a renewal, in milliseconds. */
  readonly leaseMs: number;
  /** Time of the last renewal by the owner's wall clock, in milliseconds since 1970. For the record only. */
  readonly renewedAt: number;
  /** Increases with every renewal. */
  readonly heartbeat: number;
}

/** Data to read before a run is changed. */
export interface RunPlace {
  readonly runId: string;
  /** The thread of a new run. A stored run names its own thread. */
  readonly threadId?: string | undefined;
  /** Reads the run alone, also its thread, or also the thread's queue. */
  readonly reads: 'run' | 'thread' | 'queue';
  /**
   * Also reads all `running` runs. Such reads are serialized: each sees the changes of the others. Runs taken without this flag may change
   * meanwhile.
   */
  readonly driven?: boolean | undefined;
  /**
   * Id of the key that the change is encrypted with, `''` for clear text. The storage passes it with the note `encryption` to
   * `assertWriter` in the same transaction. Absent: not checked.
   */
  readonly keyId?: string | undefined;
  /** Throws `RUN_BUSY` instead of waiting for another change of the run. A storage may also wait. */
  readonly atOnce?: boolean | undefined;
}

export interface FoundRun {
  /** Absent for an unknown id. */
  readonly run?: StoredRun | undefined;
  /** Absent if the run has no thread, or the thread was not requested. */
  readonly thread?: FoundThread | undefined;
  /** Every `running` run, in any order, for a place with `driven`. */
  readonly driven?: readonly StoredRun[] | undefined;
}

export interface FoundThread {
  /** Absent for an unknown id. */
  readonly record?: ThreadRecord | undefined;
  /** The oldest of its `queued` runs. */
  readonly firstQueued?: string | undefined;
  /** Error to throw if the record is missing but runs of it are stored, for a storage in which that can happen. */
  readonly lost?: Error | undefined;
}

/** A change of a run. All of it is written, or nothing. */
export interface RunChange {
  readonly run: StoredRun;
  /** New entries after the last one; usually one or none. */
  readonly entries: readonly JournalEntry[];
  /** The thread, if it changes. */
  readonly thread?: ThreadRecord | undefined;
}

/** A change of a note. */
export interface NoteDecision {
  /** `undefined` removes the note. */
  readonly text: string | undefined;
}

/** Notes to list. */
export interface NoteQuery {
  /** Start of the names. Every character stands for itself. */
  readonly prefix: string;
  /** Name after which the page starts. */
  readonly after?: string | undefined;
  /** @default 100, at most 1,000 */
  readonly limit?: number | undefined;
}

export interface NoteRow {
  readonly name: string;
  readonly text: string;
}

/** Progress of a run. */
export type RunHead = Pick<RunRecord, 'id' | 'epoch' | 'status'>;

/**
 * The database behind `createRunStore`: it stores and finds, and knows no rule of runs. Records keep the order of their creation. Every
 * method may answer directly or with a promise, and throws `STORE_UNAVAILABLE` (retryable) if the database cannot be reached.
 */
export interface RunStorage {
  /**
   * Reads a place, passes it to `decide` and writes the result, in one transaction without other writes in between. An error of `decide`
   * ends the transaction with nothing written. `decide` is synchronous and may be called again with newer data.
   *
   * @returns the written change
   */
  change<TChange extends RunChange>(place: RunPlace, decide: (found: FoundRun) => TChange): Awaitable<TChange>;
  /**
   * Adds an entry in one statement, because this change is the most frequent one. The run must be `running` in the epoch of this lease and
   * have all entries before this one; the record becomes that of `advancedRecord`. Returns false with nothing written otherwise; `change`
   * then finds the reason. Absent: every entry is a `change`.
   */
  advance?(lease: Lease, entry: JournalEntry, activeMs: number): Awaitable<boolean>;
  /** `undefined` for an unknown run. */
  read(runId: string): Awaitable<StoredRun | undefined>;
  /** The whole journal by `seq`, with its start at least; `undefined` for an unknown run. */
  journal(runId: string): Awaitable<readonly JournalEntry[] | undefined>;
  /** Heads of the runs that exist, in any order. Called five times a second while runs are driven. */
  heads(runIds: readonly string[]): Awaitable<readonly RunHead[]>;
  /** The last created first. `matchesQuery` tests one record; `findRecords` answers from all of them. */
  list(query: StoreQuery & { readonly limit: number }): Awaitable<readonly RunRecord[]>;
  /** As in `RunStore`. Absent: all records of the thread are listed, and the journals read one by one. */
  turns?(threadId: string, query: Required<Pick<TurnQuery, 'order' | 'limit'>> & Pick<TurnQuery, 'beyond'>): Awaitable<StoredTurns>;
  /** As in `RunStore`. Absent: each thread is read. */
  threadTitles?(threadIds: readonly string[]): Awaitable<ReadonlyMap<string, string>>;
  /** Absent: all records are listed and counted. */
  tally?(): Awaitable<StoreTally>;
  /** As for `reads: 'thread'`. */
  readThread(threadId: string): Awaitable<FoundThread>;
  /**
   * Passes the records of each place to `decide` and removes them with their journals, and the thread if the place is one, in one
   * transaction. An error of `decide` ends it with nothing removed. Once it settles, no file holds the text. Returns the number of runs.
   */
  remove(places: readonly RemovedPlace[], decide: (place: RemovedPlace, records: readonly RunRecord[]) => void): Awaitable<number>;
  /** Stores a structure; an existing one with the same hash stays. `keyId` is that of `RunPlace`. */
  saveStructure(hash: string, structure: JsonObject, keyId?: string): Awaitable<void>;
  readStructure(hash: string): Awaitable<JsonObject | undefined>;
  /**
   * Passes the text under a name to `decide` and stores the returned one, in one transaction. `decide` is synchronous and may be called
   * again. `now` is the database's own clock, shared by all clients, in milliseconds since 1970. `remove` also removes the notes that
   * `notesOfPlaces` names. Absent: the storage shares nothing but runs.
   */
  note?<T extends NoteDecision>(name: string, decide: (text: string | undefined, now: number) => T): Awaitable<T>;
  /**
   * Lists the notes whose names start with a prefix, in the order of the UTF-8 bytes of their names. It reads an index, so other notes cost
   * nothing. Absent: the storage cannot list its notes.
   *
   * @throws {WorkflowError} `OPTION_INVALID` for a query of another shape.
   */
  notes?(query: NoteQuery): Awaitable<readonly NoteRow[]>;
  /**
   * Replaces the outcomes and events of a run's entries in one transaction, and clears the old ones from the files once `remove` is called.
   * Returns false with nothing written if the run has another epoch, status or number of entries than `record`. Absent: no rotation of keys.
   */
  rewrite?(record: RunRecord, entries: readonly JournalEntry[], keyId: string): Awaitable<boolean>;
  /** As in `RunStore`, but false for an unknown run. `remove` also removes the ratings of its runs. Absent: the storage keeps none. */
  rate?(runId: string, rating: RunRating | undefined): Awaitable<boolean>;
  ratings?(runIds: readonly string[]): Awaitable<ReadonlyMap<string, RunRating>>;
  /**
   * The database's own clock in milliseconds since 1970, for a database that several machines share. A runtime without a `clock` uses it
   * for timers and schedules. Absent: each machine uses its own clock.
   */
  now?(): Awaitable<number>;
  /** As in `RunStore`, for a database that notifies its clients of writes. */
  watch?(runId: string): RunWatch;
  onTakenOver?(callback: () => void): () => void;
  close(): Awaitable<void>;
}
