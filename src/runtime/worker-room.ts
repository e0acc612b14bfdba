import type { FitsBeside, RunRecord } from '../ports/run-store.ts';
import { idAmong } from '../util/id-among.ts';
import { checkOptions, count, fn, type OptionKind, oneOf, optionInvalid } from './check-options.ts';
import type { RecoveryCandidate } from './recover.ts';

/** How many runs a worker goes on with at the same time. */
export interface WorkerConcurrency {
  /** Of all. @default 8 */
  readonly total?: number;
  /** Of each workflow, or of those that are named by their ids, in either spelling (`plan-execute`, `plan_execute`). @default as many as of all */
  readonly perWorkflow?: number | Readonly<Record<string, number>>;
  /** What runs share that must not be used by many at once: a customer, an account. `undefined`: nothing. Default: nothing for all. */
  readonly key?: (run: RunRecord) => string | undefined;
  /** Of each key. @default 1 */
  readonly perKey?: number;
  /**
   * Whom `perWorkflow` and `perKey` hold for: all workers of the store together, or this one alone. What a program has started, answered or
   * resumed itself is counted by them, and not held back.
   * @default 'store'
   */
  readonly across?: 'store' | 'worker';
}

const concurrencyOptions: Readonly<Record<string, OptionKind>> = {
  total: count,
  perWorkflow: {
    what: 'a whole number from 1, or one for each workflow',
    is: (value) => !Array.isArray(value) && [value, ...numbersOf(value)].some(count.is),
  },
  key: fn,
  perKey: count,
  across: oneOf('store', 'worker'),
};

const numbersOf = (value: unknown): readonly unknown[] => (typeof value === 'object' && value !== null ? Object.values(value) : []);

/** How far a worker steps aside for each candidate that it has lost to another one, at the most. */
const stepAside = 8;

/** Who of those that wait may go on with the room that a worker has left. */
export class WorkerRoom {
  readonly #total: number;
  readonly #perWorkflow: WorkerConcurrency['perWorkflow'];
  readonly #key: NonNullable<WorkerConcurrency['key']>;
  readonly #perKey: number;
  /** The runs at work, with what is counted of them. */
  readonly #held = new Map<string, readonly string[]>();
  readonly #counts = new Map<string, number>();
  /** What has been found full since the candidates were listed. */
  readonly #full = new Set<string>();
  /** How many candidates others were faster with since then. */
  #lost = 0;
  /** For what is driven by others, too; absent when only what is driven here counts. */
  readonly fitsBeside: FitsBeside | undefined;
  /** The workflow of which a run was taken last: the others come first. */
  #last = '';

  readonly #random: () => number;
  readonly #onKeyless: (runId: string, cause: unknown) => void;

  /**
   * @param random from 0 to 1: how far it steps aside for others.
   * @param onKeyless told of a run that is passed over, because its key cannot be told: nobody knows what it must not stand beside.
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
      throw optionInvalid('perWorkflow of concurrency must be whole numbers from 1.', 'It is { report: 2 }, for example.');
    this.#total = total;
    this.#perWorkflow = perWorkflow;
    this.#key = key ?? (() => undefined);
    this.#perKey = perKey;
    const isBounded = perWorkflow !== undefined || key !== undefined;
    this.fitsBeside = isBounded && across === 'store' ? (run, driven) => this.#fitsBeside(run, driven) : undefined;
  }

  /** How many runs more there is room for. */
  get left(): number {
    return Math.max(0, this.#total - this.#held.size);
  }

  /** Counts a run until it is given up. */
  hold(runId: string, workflow: string, record?: RunRecord): void {
    const counted = record ? this.#countedOf(record) : [`workflow ${workflow}`];
    this.release(runId);
    this.#held.set(runId, counted);
    for (const each of counted) this.#counts.set(each, (this.#counts.get(each) ?? 0) + 1);
  }

  release(runId: string): void {
    for (const each of this.#held.get(runId) ?? []) this.#counts.set(each, (this.#counts.get(each) ?? 1) - 1);
    this.#held.delete(runId);
  }

  /** Whether a run of a workflow may begin that is not stored yet. */
  fits(workflow: string): boolean {
    const { left } = this;
    return left > 0 && (this.#counts.get(`workflow ${workflow}`) ?? 0) < this.#mostOf(`workflow ${workflow}`);
  }

  /**
   * The candidates in the order in which they may go on: the most urgent first, of these workflows by turns, and of each the oldest first. Who
   * has no room left is passed over.
   *
   * @param isDriven tells whether a run is driven here: one that was given out and is not has left its room again.
   */
  *choose(candidates: readonly RecoveryCandidate[], isDriven: (runId: string) => boolean): Generator<RecoveryCandidate> {
    this.#full.clear();
    this.#lost = 0;
    const levels = levelsOf(candidates.filter(({ record }) => this.#hasKey(record)));
    for (const [, level] of [...levels].sort(([a], [b]) => b - a)) yield* this.#byTurns(level, isDriven);
  }

  *#byTurns(candidates: readonly RecoveryCandidate[], isDriven: (runId: string) => boolean): Generator<RecoveryCandidate> {
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
        if (!this.#countedOf(next.record).some((each) => this.#full.has(each))) this.#lost++;
      }
    }
  }

  #nextOf(workflow: string, queue: RecoveryCandidate[]): RecoveryCandidate | undefined {
    while (this.fits(workflow)) {
      // whoever was faster goes on with the next one, too: who has lost steps aside, and comes back to what it has passed over
      const aside = Math.floor(this.#random() * Math.min(queue.length, this.#lost * stepAside));
      const [next] = queue.splice(queue[aside]?.record.threadId === undefined ? aside : 0, 1);
      if (!next) return undefined;
      const counted = this.#countedOf(next.record);
      if (counted.some((each) => this.#full.has(each) || (this.#counts.get(each) ?? 0) >= this.#mostOf(each))) continue;
      this.hold(next.record.id, workflow, next.record);
      return next;
    }
    return undefined;
  }

  #fitsBeside(run: RunRecord, driven: readonly RunRecord[]): boolean {
    if (!this.#hasKey(run)) return false;
    const others = driven.flatMap((each) => this.#countedOf(each));
    const full = this.#countedOf(run).filter(
      (each) => others.filter((other) => other === each).length >= this.#mostOf(each, Number.POSITIVE_INFINITY),
    );
    for (const each of full) this.#full.add(each); // nothing else of it is tried before the next look
    return full.length === 0;
  }

  /** How many of what is counted there may be. @param otherwise of a workflow that has no number of its own. */
  #mostOf(counted: string, otherwise: number = this.#total): number {
    if (counted.startsWith('key ')) return this.#perKey;
    if (typeof this.#perWorkflow !== 'object') return this.#perWorkflow ?? otherwise;
    const workflow = counted.slice('workflow '.length);
    const named = idAmong(workflow, Object.keys(this.#perWorkflow));
    return (named === undefined ? undefined : this.#perWorkflow[named]) ?? otherwise;
  }

  /** What a run is counted as. */
  #countedOf(run: RunRecord): readonly string[] {
    const counted = [`workflow ${run.workflow}`];
    try {
      const key = this.#key(run) ?? undefined; // null, of a program without types
      return key === undefined ? counted : [...counted, `key ${key}`];
    } catch {
      return counted; // one that is driven all the same
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

/** By priority. The order within a thread stays: a run that keeps a more urgent one waiting is as urgent as that. */
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
