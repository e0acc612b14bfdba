import { WorkflowError } from '../../core/errors/errors.ts';
import type { Clock } from '../../core/ports/clock.ts';
import { fleetStateOf, isParked } from '../../core/ports/fleet-state.ts';
import type { JsonObject } from '../../core/ports/json.ts';
import {
  type AcquiredRun,
  type Awaitable,
  type FitsBeside,
  type JournalEntry,
  maxCrashes,
  type RunRecord,
  type RunStore,
} from '../../core/ports/run-store.ts';
import { hasCode } from '../../core/util/has-code.ts';
import { assertId } from '../../core/util/ids.ts';
import type { AnyWorkflow } from '../define/define-workflow.ts';
import { offerChange, offerChanged } from '../drive/run-offer.ts';
import { readStart } from '../drive/start-entry.ts';
import { toResult } from '../drive/to-result.ts';
import { type Limits, parseLimits } from '../journal/limits.ts';
import { runBlocked, runEnded } from '../store/store-errors.ts';
import { type AcquireOptions, acquireRun } from './acquire-run.ts';
import { ActiveRun, type PrepareDrive } from './active-run.ts';
import { CrashGuard } from './crash-guard.ts';
import { KnownWorkflows } from './known-workflows.ts';
import { parkedBecause, runPoisoned } from './parking.ts';
import { takeNext } from './recover.ts';
import { limitsOfRun } from './run-limits.ts';
import { type LeasedRun, RunsInProgress } from './runs-in-progress.ts';
import type { ListedRun, ResumeOptions, RuntimeOptions } from './runtime.ts';
import { endOf, readRun, type StoredRun, toRunSummary } from './stored-runs.ts';

export interface ResumeStored extends ResumeOptions, AcquireOptions {
  /** Checks the journal under the lease. Throws to put the run back unchanged. */
  readonly verify?: (entries: readonly JournalEntry[]) => Awaitable<void>;
  /** Writes to the journal before the machine moves. */
  readonly prepare?: PrepareDrive;
  /** Receives the run before it is driven, or while it is driven. */
  readonly atHand?: (run: ActiveRun<unknown>) => void;
  /** True for work that no caller has requested. A run that has failed meanwhile is then left alone (`RUN_ENDED`). @default false */
  readonly asWork?: boolean;
  /** The run as the caller has just read it. */
  readonly stored?: StoredRun;
}

export interface RuntimeCoreOptions extends Required<Pick<RuntimeOptions, 'store' | 'clock' | 'leaseMs' | 'workflows'>> {
  readonly workflowFor: RuntimeOptions['workflowFor'];
  readonly acceptChanges: boolean;
  readonly limits: Limits;
  readonly budget?: RuntimeOptions['budget'];
  readonly inspection: RuntimeOptions['inspect'];
}

/** Shared core of one runtime: its workflows, the runs that it drives, and the resuming of stored runs. */
export class RuntimeCore {
  readonly store: RunStore;
  readonly clock: Clock;
  readonly budget: RuntimeOptions['budget'];
  readonly inspection: RuntimeOptions['inspect'];
  readonly workflows: KnownWorkflows;
  readonly runs: RunsInProgress;
  readonly suspects: CrashGuard;
  /** Length of a lease, in milliseconds. No other process can acquire the run of a dead process for this long. */
  readonly leaseMs: number;
  /** Runs with a caller's id that are being added to the store. */
  readonly starting: Map<string, Promise<unknown>> = new Map<string, Promise<unknown>>();
  /** Threads whose queues held runs without an owner at the last `recover`. */
  readonly queues: Set<string> = new Set<string>();
  /** Concurrency check for runs that resume without a caller's request. */
  fits: FitsBeside | undefined;
  /** Starts under a caller's id that have not found or made their run yet. */
  readonly #lookups = new Map<string, Promise<unknown>>();
  readonly #workflowFor: RuntimeOptions['workflowFor'];
  readonly #acceptChanges: boolean;
  readonly #limits: Limits;
  /** Runs that are being acquired. Two callers in one process share one drive. */
  readonly #beingResumed = new Map<string, Promise<ActiveRun<unknown>>>();
  readonly #closing = new AbortController();
  /** Called when the runtime closes, which waits for them. They do not reject. */
  readonly closers: Set<() => Promise<void>> = new Set<() => Promise<void>>();

  constructor({ store, clock, leaseMs, workflows, workflowFor, acceptChanges, limits, budget, inspection }: RuntimeCoreOptions) {
    this.#acceptChanges = acceptChanges;
    this.#workflowFor = workflowFor;
    this.store = store;
    this.clock = clock;
    this.budget = budget;
    this.inspection = inspection;
    this.leaseMs = leaseMs;
    this.workflows = new KnownWorkflows(store, workflows);
    this.runs = new RunsInProgress({
      store,
      clock,
      leaseMs,
      wake: (runId) => this.resume(runId, { asWork: true }),
      rested: (threadId) => this.#rested(threadId),
    });
    this.suspects = new CrashGuard({ store, clock, isHere: (runId) => this.runs.get(runId) !== undefined });
    this.#limits = limits;
  }

  /** Aborted when the runtime is closed. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  /** True when `workflowFor` makes the workflow of each stored run. */
  get makesWorkflows(): boolean {
    return this.#workflowFor !== undefined;
  }

  limitsOf(limits: Partial<Limits> | undefined): Limits {
    return limits ? parseLimits({ ...this.#limits, ...limits }) : this.#limits;
  }

  /** @throws {WorkflowError} `RUNTIME_CLOSED`. */
  assertOpen(): void {
    this.closing.throwIfAborted();
  }

  /**
   * Returns the workflow that a run was started with.
   * @throws {WorkflowError} `WORKFLOW_UNKNOWN`, `JOURNAL_OF_OTHER_MACHINE`; any error that `workflowFor` throws.
   */
  async workflowOf({ record, entries }: StoredRun): Promise<AnyWorkflow> {
    const { metadata } = readStart(record.id, entries);
    return this.workflows.of(record, await this.#workflowFor?.({ ...record, ...(metadata ? { metadata } : {}) }));
  }

  /**
   * Returns the workflow that a new run of this id starts with. `workflowFor` sees a record without version and structure.
   * @throws {WorkflowError} `WORKFLOW_UNKNOWN`; any error that `workflowFor` throws.
   */
  async workflowForNew(workflow: string, metadata: JsonObject | undefined): Promise<AnyWorkflow> {
    const at = this.clock.now();
    const times = { startedAt: at, updatedAt: at };
    const record = {
      id: 'new',
      workflow,
      version: '',
      structure: '',
      status: 'queued',
      seq: 0,
      epoch: 0,
      crashes: 0,
      activeMs: 0,
    } as const;
    const made = await this.#workflowFor?.({ ...record, ...times, ...(metadata ? { metadata } : {}) });
    return made ?? this.workflows.newest(workflow);
  }

  /** Adds to the record what is missing for the run to resume, and why it is parked. */
  async listed(record: RunRecord): Promise<ListedRun> {
    const missing = this.#workflowFor ? undefined : this.workflows.missing(record);
    const isDriven = this.runs.get(record.id) !== undefined;
    const parked = isDriven || !isParked(record) ? undefined : parkedBecause(record, await this.#journalOf(record));
    return {
      ...toRunSummary(record),
      state: fleetStateOf(record),
      ...(missing === undefined ? {} : { missing }),
      ...(parked ? { parked } : {}),
    };
  }

  /** Returns an empty journal on an error, so that a damaged journal does not end a list. */
  async #journalOf({ id }: RunRecord): Promise<readonly JournalEntry[]> {
    try {
      return await this.store.journal(id);
    } catch {
      return [];
    }
  }

  /** Registers a start that has to look for its run first. */
  lookingFor(runId: string, found: Promise<unknown>): void {
    const lookup = Promise.allSettled([this.#lookups.get(runId), found]).then(() => {
      if (this.#lookups.get(runId) === lookup) this.#lookups.delete(runId);
    });
    this.#lookups.set(runId, lookup);
  }

  /** Returns the run if it is driven here. Waits first for an earlier start of it in this process. */
  async driven(runId: string): Promise<ActiveRun<unknown> | undefined> {
    await this.#lookups.get(runId);
    return this.runs.get(runId);
  }

  #rested(threadId: string): void {
    if (this.queues.has(threadId) && !this.closing.aborted) void takeNext(this, threadId);
  }

  async close(drainMs = 0): Promise<void> {
    if (drainMs > 0) await this.runs.drain(drainMs);
    this.#closing.abort(new WorkflowError({ code: 'RUNTIME_CLOSED', message: 'The runtime is closed.', hint: 'Create a new runtime.' }));
    const closers = [...this.closers].map((close) => close());
    await Promise.all([Promise.allSettled(this.#beingResumed.values()), this.runs.close(), ...closers]);
  }

  /** Drives a stored run, unless it is driven here already, or has ended. */
  async resume(runId: string, options: ResumeStored): Promise<ActiveRun<unknown>> {
    this.assertOpen();
    assertId(runId, 'run');
    const here = this.runs.get(runId) ?? this.#beingResumed.get(runId);
    if (here) {
      const run = await here;
      options.atHand?.(run);
      return run;
    }
    const taking = this.#acquire(runId, options);
    this.#beingResumed.set(runId, taking);
    try {
      return await taking;
    } finally {
      this.#beingResumed.delete(runId);
    }
  }

  async #acquire(runId: string, options: ResumeStored): Promise<ActiveRun<unknown>> {
    const { limits, force = false, acceptChanges = this.#acceptChanges, verify, prepare, atHand, stored, epoch } = options;
    const { store, clock, budget, inspection, runs } = this;
    const snapshot = stored ?? (await readRun(store, runId));
    let { record, entries } = snapshot;
    if (record.epoch !== (epoch ?? record.epoch)) throw runBlocked(runId);
    let workflow = await this.workflowOf(snapshot);
    const toRun = (): ActiveRun<unknown> =>
      new ActiveRun<unknown>(runId, record.threadId, {
        workflow,
        store,
        clock,
        budget,
        inspection,
        limits: this.limitsOf({ ...limitsOfRun(entries), ...limits }),
        entries,
      });
    const end = endOf({ record, entries });
    if (end && options.asWork) throw runEnded(runId, toResult(end).status);
    if (end && end.status !== 'failed') {
      const ended = toRun();
      ended.conclude(end);
      return ended;
    }
    if (record.crashes >= maxCrashes && !force) throw runPoisoned(record, entries);
    let change = assertOffer(workflow, snapshot, acceptChanges);
    let acquired: LeasedRun;
    try {
      acquired = await acquireRun(this, runId, options);
    } catch (cause) {
      if (stored || options.asWork || !isEnded(cause)) throw cause;
      return this.#acquire(runId, options); // it has ended since the read
    }
    runs.cancelWake(runId);
    let run: ActiveRun<unknown>;
    try {
      // another process may have written between the read and the lease
      if (acquired.record.seq !== entries.length) {
        ({ record, entries } = await readRun(store, runId));
        workflow = await this.workflowOf({ record, entries }); // it may have been migrated
        change = assertOffer(workflow, { record, entries }, acceptChanges);
      }
      await verify?.(entries);
      this.assertOpen(); // the caller that closes the runtime may close the store next
      run = toRun();
    } catch (cause) {
      await this.putBack(acquired, snapshot);
      throw cause;
    }
    atHand?.(run);
    void runs.drive(run, () => acquired, change ? inTurn((host) => host.acceptOffer(change), prepare) : prepare);
    return run;
  }

  /** @throws {WorkflowError} `WORKFLOW_UNKNOWN`, `JOURNAL_OF_OTHER_MACHINE`, `OFFER_CHANGED`. */
  async assertResumable(stored: StoredRun, acceptChanges: boolean = this.#acceptChanges): Promise<void> {
    assertOffer(await this.workflowOf(stored), stored, acceptChanges);
  }

  /** Leaves an acquired run to the next `recover`, in any process. */
  async handOver({ lease, record: { activeMs } }: AcquiredRun): Promise<void> {
    await this.store.settle(lease, { status: 'paused', wakeAt: this.clock.now(), activeMs });
  }

  /**
   * Restores the status that a run had when it was read. A run that has moved since, or was abandoned, becomes due for the next `recover`.
   */
  async putBack({ lease, record: { seq, activeMs } }: AcquiredRun, { record }: StoredRun): Promise<void> {
    const { status, wakeAt, sleeps } = record;
    const untouched = record.seq === seq && status !== 'running' && status !== 'queued';
    const rest = untouched
      ? { status, ...(wakeAt === undefined ? {} : { wakeAt }), ...(sleeps ? { sleeps } : {}) }
      : ({ status: 'paused', wakeAt: this.clock.now() } as const);
    await this.store.settle(lease, { ...rest, activeMs });
    if (rest.status === 'waiting' && rest.wakeAt !== undefined) this.runs.wakeLater(lease.runId, rest.wakeAt);
  }
}

/** Returns the accepted change. @throws {WorkflowError} `OFFER_CHANGED`. */
function assertOffer(workflow: AnyWorkflow, { record: { id }, entries }: StoredRun, accepts: boolean): ReturnType<typeof offerChange> {
  const change = offerChange(workflow, id, entries);
  if (change && !accepts) throw offerChanged(id, workflow.id, change.changes);
  return change;
}

const inTurn =
  (first: PrepareDrive, next: PrepareDrive | undefined): PrepareDrive =>
  async (host) => {
    await first(host);
    await next?.(host);
  };

const isEnded = (cause: unknown): boolean => hasCode(cause, 'RUN_ENDED');
