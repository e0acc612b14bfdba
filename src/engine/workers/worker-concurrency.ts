import type { FitsBeside, RunRecord } from '../../core/ports/run-store.ts';
import { checkOptions, count, fn, type OptionKind, oneOf, optionInvalid } from '../../core/util/check-options.ts';
import { idAmong } from '../../core/util/id-among.ts';
import type { RecoveryCandidate } from '../run/recover.ts';

/** Maximum number of runs that a worker drives at the same time. */
export interface WorkerConcurrency {
  /** Maximum number of all runs. @default 8 */
  readonly total?: number;
  /**
   * Maximum number of runs per workflow: one number for all workflows, or numbers by workflow id in either spelling (`plan-execute`,
   * `plan_execute`). @default the total
   */
  readonly perWorkflow?: number | Readonly<Record<string, number>>;
  /**
   * Returns the key of a shared resource with limited use, such as a customer or an account. `undefined`: the run has no key. Default: no
   * run has a key.
   */
  readonly key?: (run: RunRecord) => string | undefined;
  /** Maximum number of runs per key. @default 1 */
  readonly perKey?: number;
  /**
   * Scope of `perWorkflow` and `perKey`: all workers of the store together, or this one alone. Runs that a program has started, answered or
   * resumed itself are counted, and never held back.
   * @default 'store'
   */
  readonly across?: 'store' | 'worker';
}

const concurrencyOptions: Readonly<Record<string, OptionKind>> = {
  total: count,
  perWorkflow: {
    what: 'a whole number of 1 or more, or one for each workflow',
    is: (value) => !Array.isArray(value) && [value, ...numbersOf(value)].some(count.is),
  },
  key: fn,
  perKey: count,
  across: oneOf('store', 'worker'),
};

const numbersOf = (value: unknown): readonly unknown[] => (typeof value === 'object' && value !== null ? Object.values(value) : []);

/** Maximum number of candidates to skip per candidate that was lost to another worker. */
const maxSkipsPerLoss = 8;

/** Chooses the runs that fill a worker's free slots. */
export class WorkerSlots {
  readonly #total: number;
  readonly #perWorkflow: WorkerConcurrency['perWorkflow'];
  readonly #key: NonNullable<WorkerConcurrency['key']>;
  readonly #perKey: number;
  /** Runs at work, each with the workflow and key that it counts for. */
  readonly #active = new Map<string, readonly string[]>();
  readonly #counts = new Map<string, number>();
  /** Workflows and keys that were found full since the candidates were listed. */
  readonly #full = new Set<string>();
  /** Number of candidates lost to other workers since then. */
  #losses = 0;
  /** Checks a run against the runs driven by any process. Absent when only the runs driven here count. */
  readonly fitsBeside: FitsBeside | undefined;
  /** Workflow whose run was taken last. The other workflows come first. */
  #last = '';

  readonly #random: () => number;
  readonly #onKeyless: (runId: string, cause: unknown) => void;

  /**
   * @param random returns a number from 0 to 1, which decides how many candidates are skipped for other workers.
   * @param onKeyless called for a run that is skipped because its concurrency key threw, so that its limit is unknown.
   * @throws {WorkflowError} `OPTION_INVALID`.
   */
  constructor(
    concurrency: number | WorkerConcurrency = {},
    random: () => number = Math.random,
    onKeyless: (runId: string, cause: unknown) => void = () => {},
  ) {
    this.#random = random;
    this.#onKeyless = onKeyless;
    const options = typeof concurrency === 'number' ? { total: concurrency } : concurrency;
    checkOptions('concurrency', options, concurrencyOptions);
    const { total = 8, perWorkflow, key, perKey = 1, across = 'store' } = options;
    const wrong = numbersOf(perWorkflow).find((each) => !count.is(each));
    if (wrong !== undefined)
      throw optionInvalid('perWorkflow of concurrency must contain whole numbers of 1 or more.', 'Write { report: 2 }, for example.');
    this.#total = total;
    this.#perWorkflow = perWorkflow;
    this.#key = key ?? (() => undefined);
    this.#perKey = perKey;
    const isBounded = perWorkflow !== undefined || key !== undefined;
    this.fitsBeside = isBounded && across === 'store' ? (run, driven) => this.#fitsBeside(run, driven) : undefined;
  }

  /** Number of all slots. */
  get total(): number {
    return this.#total;
  }

  /** Number of free slots. */
  get left(): number {
    return Math.max(0, this.#total - this.#active.size);
  }

  /** Counts a run until its `release`. */
  hold(run: RunRecord): void {
    const limitKeys = this.#limitKeysOf(run);
    this.release(run.id);
    this.#active.set(run.id, limitKeys);
    for (const each of limitKeys) this.#counts.set(each, (this.#counts.get(each) ?? 0) + 1);
  }

  release(runId: string): void {
    for (const each of this.#active.get(runId) ?? []) this.#counts.set(each, (this.#counts.get(each) ?? 1) - 1);
    this.#active.delete(runId);
  }

  /** True if this worker has a place for a run, by its own counts alone. */
  fits(run: RunRecord): boolean {
    return this.#isFree(this.#limitKeysOf(run));
  }

  #isFree(limitKeys: readonly string[]): boolean {
    return this.left > 0 && limitKeys.every((each) => (this.#counts.get(each) ?? 0) < this.#limitOf(each));
  }

  /**
   * Yields the candidates in the order in which they may resume: by priority, then by turns between workflows, then oldest first.
   * Candidates without a free slot are skipped.
   *
   * @param isDriven True when a run is driven here. A yielded run that is not driven has given its slot back.
   */
  *choose(candidates: readonly RecoveryCandidate[], isDriven: (runId: string) => boolean): Generator<RecoveryCandidate> {
    this.#full.clear();
    this.#losses = 0;
    const levels = levelsOf(candidates.filter(({ record }) => this.#hasKey(record)));
    for (const [, level] of [...levels].sort(([a], [b]) => b - a)) yield* this.#inTurns(level, isDriven);
  }

  *#inTurns(candidates: readonly RecoveryCandidate[], isDriven: (runId: string) => boolean): Generator<RecoveryCandidate> {
    const queues = Map.groupBy(
      candidates.filter(({ record }) => !isDriven(record.id)),
      ({ record }) => record.workflow,
    );
    const names = [...queues.keys()];
    const first = names.indexOf(this.#last) + 1;
    const turns = [...names.slice(first), ...names.slice(0, first)];
    for (let given = true; given; ) {
      given = false;
      for (const workflow of turns) {
        const next = this.#nextOf(workflow, queues.get(workflow) ?? []);
        if (!next) continue;
        given = true;
        this.#last = workflow;
        yield next;
        if (isDriven(next.record.id)) continue;
        this.release(next.record.id);
        if (!this.#limitKeysOf(next.record).some((each) => this.#full.has(each))) this.#losses++;
      }
    }
  }

  #nextOf(workflow: string, queue: RecoveryCandidate[]): RecoveryCandidate | undefined {
    while (this.#isFree([`workflow ${workflow}`])) {
      // The faster worker takes the next candidate, too. A worker that has lost one skips some candidates, and comes back to them.
      const skips = Math.floor(this.#random() * Math.min(queue.length, this.#losses * maxSkipsPerLoss));
      const [next] = queue.splice(queue[skips]?.record.threadId === undefined ? skips : 0, 1);
      if (!next) return undefined;
      const limitKeys = this.#limitKeysOf(next.record);
      if (!this.#isFree(limitKeys) || limitKeys.some((each) => this.#full.has(each))) continue;
      this.hold(next.record);
      return next;
    }
    return undefined;
  }

  #fitsBeside(run: RunRecord, driven: readonly RunRecord[]): boolean {
    if (!this.#hasKey(run)) return false;
    const others = driven.flatMap((each) => this.#limitKeysOf(each));
    const full = this.#limitKeysOf(run).filter(
      (each) => others.filter((other) => other === each).length >= this.#limitOf(each, Number.POSITIVE_INFINITY),
    );
    for (const each of full) this.#full.add(each); // skip its other runs until the next poll
    return full.length === 0;
  }

  /** Maximum number of runs of a workflow or key. @param otherwise Maximum for a workflow without a number of its own. */
  #limitOf(limitKey: string, otherwise: number = this.#total): number {
    if (limitKey.startsWith('key ')) return this.#perKey;
    if (typeof this.#perWorkflow !== 'object') return this.#perWorkflow ?? otherwise;
    const workflow = limitKey.slice('workflow '.length);
    const named = idAmong(workflow, Object.keys(this.#perWorkflow));
    return (named === undefined ? undefined : this.#perWorkflow[named]) ?? otherwise;
  }

  /** Workflow and key that a run counts for. */
  #limitKeysOf(run: RunRecord): readonly string[] {
    const limitKeys = [`workflow ${run.workflow}`];
    try {
      const key = this.#key(run) ?? undefined; // null from an untyped program
      return key === undefined ? limitKeys : [...limitKeys, `key ${key}`];
    } catch {
      return limitKeys; // a run that is driven although its key throws
    }
  }

  #hasKey(run: RunRecord): boolean {
    try {
      this.#key(run);
      return true;
    } catch (cause) {
      this.#onKeyless(run.id, cause);
      return false;
    }
  }
}

/** Groups candidates by priority. The order within a thread stays: a run that blocks a more urgent one gets the priority of that one. */
function levelsOf(candidates: readonly RecoveryCandidate[]): ReadonlyMap<number, readonly RecoveryCandidate[]> {
  const ofThread = new Map<string, number>();
  const priorities = new Map<RecoveryCandidate, number>();
  for (const candidate of candidates.toReversed()) {
    const { threadId, priority: own = 0 } = candidate.record;
    const priority = threadId === undefined ? own : Math.max(own, ofThread.get(threadId) ?? own);
    if (threadId !== undefined) ofThread.set(threadId, priority);
    priorities.set(candidate, priority);
  }
  return Map.groupBy(candidates, (candidate) => priorities.get(candidate) ?? 0);
}
