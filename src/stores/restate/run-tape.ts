import type { JsonObject } from '../../core/ports/json.ts';
import type { FoundThread, RunStorage, StoredRun } from '../../core/ports/run-storage.ts';
import type { JournalEntry, ThreadRecord } from '../../core/ports/run-store.ts';
import { findRecords, newestFirst } from '../../engine/store/matches-query.ts';
import { unsupportedByRestate } from './unsupported-by-restate.ts';

/** Writes of a run that Restate stores as one step of its invocation. */
export interface TapeStep {
  readonly run?: StoredRun;
  readonly entries: readonly JournalEntry[];
  readonly thread?: ThreadRecord;
  readonly structures: Readonly<Record<string, JsonObject>>;
}

/** Another run, at the time when an invocation read it. */
export interface RunSnapshot {
  readonly run: StoredRun;
  readonly entries: readonly JournalEntry[];
  readonly structure: JsonObject | null;
}

/** State of a run at the start of an invocation. */
export interface RunObjectState {
  readonly run?: StoredRun | undefined;
  readonly entries: readonly JournalEntry[];
  readonly thread?: FoundThread | undefined;
  /** Structures read so far. */
  readonly structures: Readonly<Record<string, JsonObject>>;
  /** Source runs of a new run, read-only. */
  readonly others?: readonly RunSnapshot[];
}

interface PendingWrite {
  readonly step: TapeStep;
  readonly done: () => void;
}

/**
 * Storage of one run, kept in memory by one invocation. Writes go to a tape first. `take` passes them to Restate, and `keep` releases their
 * writers once they are durable. A later attempt replays the tape and continues from there, so nodes and steps need not be deterministic.
 */
export class RunTape {
  readonly storage: RunStorage;
  #run: StoredRun | undefined;
  #thread: FoundThread | undefined;
  readonly #entries: JournalEntry[];
  readonly #structures: Record<string, JsonObject>;
  readonly #others: readonly RunSnapshot[];
  #waiting: PendingWrite[] = [];
  /** Steps passed to Restate but not yet confirmed. */
  #taken: PendingWrite[] | undefined;
  #wake: () => void = () => {};
  #queued: () => void = () => {};
  /** Settles once the run is stored as waiting for its thread. */
  readonly queued: Promise<void> = new Promise((resolve) => {
    this.#queued = resolve;
  });

  constructor({ run, entries, thread, structures, others = [] }: RunObjectState) {
    this.#run = run;
    this.#entries = [...entries];
    this.#thread = thread;
    this.#structures = { ...structures };
    this.#others = others;
    this.storage = this.#storage();
  }

  get run(): StoredRun | undefined {
    return this.#run;
  }

  get thread(): ThreadRecord | undefined {
    return this.#thread?.record;
  }

  /** Waits for a write or for `rest`, and takes all writes so far. */
  async take<T>(rest: Promise<T>): Promise<{ readonly step: TapeStep } | { readonly rest: T }> {
    const over = rest.then((value) => ({ rest: value }));
    while (this.#waiting.length === 0) {
      const written = new Promise<undefined>((resolve) => {
        this.#wake = () => resolve(undefined);
      });
      const ended = await Promise.race([over, written]);
      if (ended && this.#waiting.length === 0) return ended;
    }
    this.#taken = this.#waiting;
    this.#waiting = [];
    return { step: joined(this.#taken.map(({ step }) => step)) };
  }

  /** Applies a stored step. Releases its writers if this attempt wrote it, and replays it otherwise. */
  keep({ run, entries, thread, structures }: TapeStep): void {
    const taken = this.#taken;
    this.#taken = undefined;
    if (!taken) {
      if (run) this.#run = run;
      if (thread) this.#thread = { record: thread };
      this.#entries.push(...entries);
      Object.assign(this.#structures, structures);
    }
    if (run?.record.status === 'queued') this.#queued();
    for (const { done } of taken ?? []) done();
  }

  #write(step: TapeStep): Promise<void> {
    return new Promise((done) => {
      this.#waiting.push({ step, done });
      this.#wake();
    });
  }

  #storage(): RunStorage {
    const of = (runId: string): StoredRun | undefined => (this.#run?.record.id === runId ? this.#run : undefined);
    const other = (runId: string): RunSnapshot | undefined => this.#others.find(({ run }) => run.record.id === runId);
    return {
      change: async ({ runId, reads }, decide) => {
        const before = of(runId);
        const change = decide({ run: before, thread: reads === 'run' ? undefined : this.#thread });
        const { run, entries, thread } = change;
        this.#run = run;
        this.#entries.push(...entries);
        if (thread) this.#thread = { record: thread };
        await this.#write({ run, entries, ...(thread ? { thread } : {}), structures: {} });
        return change;
      },
      read: (runId) => of(runId) ?? other(runId)?.run,
      journal: (runId) => (of(runId) ? [...this.#entries] : other(runId)?.entries),
      heads: (runIds) => runIds.flatMap((id) => of(id)?.record ?? []),
      list: (query) => {
        const own = this.#run ? [this.#run] : [];
        const runs = [...own, ...this.#others.map(({ run }) => run)];
        return findRecords(newestFirst(runs.map(({ record }) => record)), query);
      },
      readThread: () => this.#thread ?? {},
      remove: () => {
        throw unsupportedByRestate('the removal of runs');
      },
      saveStructure: async (hash, structure) => {
        if (this.#structures[hash]) return;
        this.#structures[hash] = structure;
        await this.#write({ entries: [], structures: { [hash]: structure } });
      },
      readStructure: (hash) =>
        this.#structures[hash] ?? this.#others.find(({ run }) => run.record.structure === hash)?.structure ?? undefined,
      close() {},
    };
  }
}

/** Merges several steps: the last run and thread, and all entries and structures. */
const joined = (steps: readonly TapeStep[]): TapeStep => {
  const run = steps.findLast((step) => step.run)?.run;
  const thread = steps.findLast((step) => step.thread)?.thread;
  return {
    ...(run ? { run } : {}),
    ...(thread ? { thread } : {}),
    entries: steps.flatMap(({ entries }) => entries),
    structures: Object.assign({}, ...steps.map(({ structures }) => structures)) as Record<string, JsonObject>,
  };
};
