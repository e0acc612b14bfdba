import { WorkflowError } from '../../core/errors/errors.ts';
import type { Taint } from '../../core/ports/taint.ts';
import { taintAfter } from './approval.ts';
import { effectOf } from './effect-of.ts';
import type { CallRecord, HeldCall } from './execute-plan.types.ts';
import type { Job, PreparedCall } from './job.ts';
import { type CallEnd, type CallEnvironment, failedCall, journalCall, recordReuse } from './journal-call.ts';
import { hasActed, type KnownCall, KnownCalls } from './known-calls.ts';
import { isBehind, nextJob, reachableJobs, type ScheduleState } from './schedule.ts';

export interface JobRules {
  readonly execution: 'auto' | 'sequential';
  readonly until: 'wave' | 'end';
  /** Taint of the thread before the first job. */
  readonly taint: Taint;
  readonly history: readonly CallRecord[];
  /** Number of leading history calls that belong to earlier plans. @default 0 */
  readonly ofEarlierPlans?: number;
  /** Ids of jobs that succeeded earlier. */
  readonly succeeded: Iterable<number>;
  /** Called after each end, before any job starts because of it. */
  readonly onEnd?: (job: Job, record: CallRecord) => void;
}

export interface JobsEnd {
  /** One record per started job without held ones, in the order of the jobs. */
  readonly records: ReadonlyMap<Job, CallRecord>;
  /** Jobs that need approval, in the order of the jobs. */
  readonly held: ReadonlyMap<Job, HeldCall>;
  /** Jobs that did not start or are held. */
  readonly remaining: readonly Job[];
  /** Taint of the thread after the jobs. */
  readonly taint: Taint;
}

/**
 * Runs jobs, each as soon as possible.
 *
 * Starting, skipping and rejecting depend only on the jobs and on the order of their ends. The journal's ends are therefore replayed first,
 * in their order and without calls, so that a restart makes the same decisions.
 *
 * @throws {WorkflowError} `CALL_IN_DOUBT`; the reason of an abort. A failing job is a record.
 */
export const runJobs = async (jobs: readonly Job[], rules: JobRules, environment: CallEnvironment): Promise<JobsEnd> => {
  try {
    return await new JobRun(jobs, rules, environment).run();
  } finally {
    environment.calls?.end();
  }
};

class JobRun {
  readonly #jobs: readonly Job[];
  readonly #rules: JobRules;
  readonly #environment: CallEnvironment;
  readonly #known: KnownCalls;
  readonly #succeeded: Set<number>;
  /** Keys of jobs whose end is in the journal. */
  readonly #recorded: ReadonlySet<string>;
  readonly #prepared = new Map<Job, PreparedCall | WorkflowError>();
  readonly #started = new Map<Job, KnownCall>();
  readonly #placeOf: ReadonlyMap<Job, number>;
  /** Positions of the started calls of each signature. */
  readonly #startedPlaces = new Map<string, number[]>();
  readonly #running = new Set<Job>();
  readonly #uncalled = new Map<Job, () => Promise<CallEnd>>();
  readonly #records = new Map<Job, CallRecord>();
  readonly #heldJobs = new Map<Job, HeldCall>();
  /** Jobs not made because a held job comes first or is the same `once` call. */
  readonly #behind = new Set<Job>();
  readonly #arrived: (readonly [Job, CallEnd])[] = [];
  #waiting: readonly Job[];
  #taint: Taint;
  #stopped = false;
  #failure: { readonly cause: unknown } | undefined;
  #wake = (): void => {};

  constructor(jobs: readonly Job[], rules: JobRules, environment: CallEnvironment) {
    this.#jobs = jobs;
    this.#placeOf = new Map(jobs.map((job, place) => [job, place]));
    this.#waiting = jobs;
    this.#rules = rules;
    this.#environment = environment;
    this.#taint = rules.taint;
    this.#succeeded = new Set(rules.succeeded);
    const { history, ofEarlierPlans } = rules;
    this.#known = new KnownCalls(history, (tool) => effectOf(environment.tools.get(tool)), ofEarlierPlans);
    this.#recorded = new Set(environment.io.recorded);
    if (environment.calls) environment.calls.changed = () => this.#wake();
  }

  async run(): Promise<JobsEnd> {
    await this.#replay();
    for (;;) {
      this.#startAll();
      for (const [job, call] of this.#uncalled) this.#call(job, call);
      this.#uncalled.clear();
      if (this.#running.size === 0) break;
      this.#end(...(await this.#arrival()));
    }
    const records = new Map(this.#jobs.flatMap((job) => this.#recordOf(job)));
    const held = new Map(this.#jobs.flatMap((job) => this.#heldOf(job)));
    const left = new Set([...this.#waiting, ...this.#behind, ...held.keys()]);
    return { records, held, remaining: this.#jobs.filter((job) => left.has(job)), taint: this.#taint };
  }

  async #replay(): Promise<void> {
    // Decision 54: the recorded order of ends decides what is made, reused or rejected.
    const ended = [...this.#recorded];
    for (;;) {
      this.#startAll();
      const job = ended.flatMap((key) => [...this.#uncalled.keys()].find((each) => each.key === key) ?? [])[0];
      const call = job && this.#uncalled.get(job);
      if (!call) return;
      this.#uncalled.delete(job);
      this.#end(job, await call());
    }
  }

  /** Starts every startable job at the same time and records a failure for each that cannot be called. */
  #startAll(): void {
    for (;;) {
      const refused: (readonly [Job, WorkflowError])[] = [];
      for (let job = this.#next(); job; job = this.#next()) {
        const why = this.#start(job);
        if (why) refused.push([job, why]);
      }
      if (refused.length === 0) return;
      for (const [job, why] of refused) this.#end(job, failedCall(why, '', this.#environment.clock.now()));
    }
  }

  #next(): Job | undefined {
    // a recorded job always runs, even if two simultaneous ends had another order
    const waiting = this.#stopped ? this.#waiting.filter(({ key }) => this.#recorded.has(key)) : this.#waiting;
    const { execution } = this.#rules;
    const { concurrency } = this.#environment;
    let effects: readonly number[] | undefined; // cached, because each of a model's thousand calls would scan all others
    const isHeld = (job: Job): boolean => this.#isHeld(job, () => (effects ??= this.#effectsBefore()));
    return nextJob({ ...this.#state, waiting }, { execution, concurrency, isHeld });
  }

  /** A repeated call waits for a running equal one, and for effects between the two in the plan. */
  #isHeld(job: Job, effectsBefore: () => readonly number[]): boolean {
    const prepared = this.#prepare(job);
    if (WorkflowError.isInstance(prepared)) return false;
    const { signature } = prepared;
    if (this.#known.isAwaited(signature)) return true;
    if (!this.#known.mayBecomeOld(signature)) return false;
    const place = this.#placeOf.get(job) ?? -1;
    const effect = effectsBefore()[place] ?? -1;
    return effect >= 0 && !this.#startedPlaces.get(signature)?.some((at) => at < place && at >= effect);
  }

  /** For each position, that of the last earlier job with an effect that is running, held or may still start; -1 if there is none. */
  #effectsBefore(): readonly number[] {
    const state = this.#state;
    const reachable = reachableJobs(state);
    let last = -1;
    return this.#jobs.map((job, place) => {
      const before = last;
      if (job.effect !== 'pure' && (state.running.has(job) || state.held.has(job) || reachable.has(job))) last = place;
      return before;
    });
  }

  get #state(): ScheduleState {
    return {
      waiting: this.#waiting,
      running: this.#running,
      held: new Set([...this.#heldJobs.keys(), ...this.#behind]),
      succeeded: this.#succeeded,
    };
  }

  #start(job: Job): WorkflowError | undefined {
    this.#waiting = this.#waiting.filter((other) => other !== job);
    if (this.#rules.until === 'wave' && this.#rules.execution === 'sequential') this.#stopped = true;
    this.#running.add(job);
    const prepared = this.#prepare(job);
    if (WorkflowError.isInstance(prepared)) return prepared;
    const { tool, args, signature } = prepared;
    const environment = this.#environment;
    const taint = this.#taint; // Decision 65: concurrent jobs do not see each other's results
    const twin = this.#twinOf(job, signature);
    const made = twin && this.#records.get(twin);
    const earlier = made?.status === 'success' ? made : this.#known.recall(signature);
    const isTwinWaiting = twin !== undefined && (this.#heldJobs.has(twin) || this.#behind.has(twin));
    const mayMake = !isBehind(job, this.#jobs, this.#state.held, this.#rules.execution);
    this.#started.set(job, this.#known.begin(signature, earlier ? 'pure' : job.effect));
    const places = this.#startedPlaces.get(signature) ?? [];
    this.#startedPlaces.set(signature, [...places, this.#placeOf.get(job) ?? -1]);
    this.#uncalled.set(job, async () => {
      if (isTwinWaiting) return { status: 'behind' };
      return earlier
        ? recordReuse(job.key, tool.name, args, earlier, environment, taint)
        : journalCall(job.key, tool, args, taint, environment, mayMake);
    });
    return undefined;
  }

  /** An earlier equal `once` call without an effect in between; it is made for both. */
  #twinOf(job: Job, signature: string): Job | undefined {
    if (job.effect !== 'once') return undefined;
    let place = (this.#placeOf.get(job) ?? 0) - 1;
    while (this.#jobs[place]?.effect === 'pure') place--;
    const before = this.#jobs[place];
    const prepared = before && this.#prepared.get(before);
    return prepared && 'signature' in prepared && prepared.signature === signature ? before : undefined;
  }

  #call(job: Job, call: () => Promise<CallEnd>): void {
    call().then(
      (record) => {
        this.#arrived.push([job, record]);
        this.#wake();
      },
      (cause: unknown) => {
        this.#failure ??= { cause }; // an abort ends all of them, and only the first error is thrown
        this.#wake();
      },
    );
  }

  async #arrival(): Promise<readonly [Job, CallEnd]> {
    for (;;) {
      if (this.#failure) throw this.#failure.cause;
      const arrived = this.#arrived.shift();
      if (arrived) return arrived;
      const { calls } = this.#environment;
      if (calls?.mustPull(this.#running.size)) {
        await calls.pull();
        continue;
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  #end(job: Job, end: CallEnd): void {
    this.#running.delete(job);
    const known = this.#started.get(job);
    if (end.status === 'behind' || end.status === 'held') {
      if (end.status === 'held') this.#heldJobs.set(job, end);
      else this.#behind.add(job);
      if (known) this.#known.end(known, undefined);
      return;
    }
    this.#records.set(job, end);
    if (known) this.#known.end(known, end);
    if (end.status === 'success') this.#succeeded.add(job.id);
    else if (this.#rules.until === 'wave') this.#stopped = true;
    const prepared = this.#prepared.get(job);
    if (prepared && 'tool' in prepared) this.#taint = taintAfter(this.#taint, prepared.tool, end);
    this.#rules.onEnd?.(job, end);
  }

  #prepare(job: Job): PreparedCall | WorkflowError {
    const known = this.#prepared.get(job);
    if (known) return known;
    const prepared = job.prepare();
    this.#prepared.set(job, prepared);
    return prepared;
  }

  #heldOf(job: Job): readonly (readonly [Job, HeldCall])[] {
    const held = this.#heldJobs.get(job);
    return held ? [[job, held]] : [];
  }

  #recordOf(job: Job): readonly (readonly [Job, CallRecord])[] {
    const record = this.#records.get(job);
    if (!record) return [];
    return [[job, record.status === 'success' && this.#isStale(job) ? { ...record, stale: true } : record]];
  }

  /** Decided by the order of the jobs instead of their times, so that a restart decides the same. */
  #isStale(job: Job): boolean {
    const later = this.#rules.execution === 'auto' ? this.#jobs : this.#jobs.slice(this.#jobs.indexOf(job));
    return later.some((other) => {
      const call = other === job ? undefined : this.#started.get(other);
      return call !== undefined && hasActed(call);
    });
  }
}
