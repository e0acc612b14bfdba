import type { JsonObject } from '../ports/json.ts';
import type { FoundThread, RunStorage, StoredRun } from '../ports/run-storage.ts';
import type { JournalEntry, ThreadRecord } from '../ports/run-store.ts';
import { findRecords, newestFirst } from '../stores/matches-query.ts';
import { notOfRestate } from './not-of-restate.ts';

/** What a run has written and Restate is to keep, as one step of its invocation. */
export interface TapeStep {
  readonly run?: StoredRun;
  readonly entries: readonly JournalEntry[];
  readonly thread?: ThreadRecord;
  readonly structures: Readonly<Record<string, JsonObject>>;
}

/** Another run, as it was when an invocation looked at it. */
export interface SeenRun {
  readonly run: StoredRun;
  readonly entries: readonly JournalEntry[];
  readonly structure: JsonObject | null;
}

/** What is known of a run when an invocation begins. */
export interface KeptRun {
  readonly run?: StoredRun | undefined;
  readonly entries: readonly JournalEntry[];
  readonly thread?: FoundThread | undefined;
  /** As far as they were needed. */
  readonly structures: Readonly<Record<string, JsonObject>>;
  /** Runs that a new one is made of, and that are only read. */
  readonly others?: readonly SeenRun[];
}

interface Write {
  readonly step: TapeStep;
  readonly done: () => void;
}

/**
 * The storage of one run, kept in memory by one invocation. What is written goes on a tape first: `take` gives it to Restate, and `keep`, once
 * Restate has it for good, lets the writer go on. A later attempt plays what is on the tape and goes on from there, so that nothing of
 * nodes, steps and their order need be the same again.
 */
export class RunTape {
  readonly storage: RunStorage;
  #run: StoredRun | undefined;
  #thread: FoundThread | undefined;
  readonly #entries: JournalEntry[];
  readonly #structures: Record<string, JsonObject>;
  readonly #others: readonly SeenRun[];
  #waiting: Write[] = [];
  /** Taken, and not known to be kept yet. */
  #taken: Write[] | undefined;
  #wake: () => void = () => {};
  #queued: () => void = () => {};
  /** Settles when the run has been kept as one that waits for its thread. */
  readonly queued: Promise<void> = new Promise((resolve) => {
    this.#queued = resolve;
  });

  constructor({ run, entries, thread, structures, others = [] }: KeptRun) {
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

  /** Waits until something was written, or `rest` has settled, and takes all that was written by then. */
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

  /** A step that Restate has kept: of this attempt, whose writers go on; or of one before it, which is played. */
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
    const other = (runId: string): SeenRun | undefined => this.#others.find(({ run }) => run.record.id === runId);
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
        throw notOfRestate('removes runs');
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

/** Several steps as one: the last word on the run and its thread, and all else. */
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
