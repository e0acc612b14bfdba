import { toErrorInfo } from '../../core/errors/errors.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { ErrorInfo } from '../../core/ports/error-info.ts';
import { checkTimeout } from '../../core/util/check-integer.ts';
import { checkOptions, count, fn, list, listOf, object, objectWith, oneOf, text } from '../../core/util/check-options.ts';
import { hasCode } from '../../core/util/has-code.ts';
import { pause } from '../../core/util/pause.ts';
import { growingDelay } from '../../core/util/retryer.ts';
import { seededRandom } from '../../core/util/seeded-random.ts';
import { warn } from '../../core/util/warn.ts';
import { withTimeout } from '../../core/util/with-timeout.ts';
import type { Run, RunResult } from '../drive/run.ts';
import { clockOf, coreOf, createRuntime } from '../run/create-runtime.ts';
import type { RecoveredRun } from '../run/recover.ts';
import type { Runtime, RuntimeOptions } from '../run/runtime.ts';
import type { RuntimeCore } from '../run/runtime-core.ts';
import { runtimeOptions } from '../run/runtime-options.ts';
import type { Schedule } from '../schedules/scheduled-run.ts';
import { DeclaredSchedules } from './declared-schedules.ts';
import { ScheduleStarter } from './schedule-starter.ts';
import { StoredScheduleStarter, type StoredStart } from './stored-schedule-starter.ts';
import { type WorkerConcurrency, WorkerSlots } from './worker-concurrency.ts';
import type { WorkerRole } from './worker-notes.ts';
import { WorkerPresence } from './worker-presence.ts';

export interface WorkerOptions extends RuntimeOptions {
  /** Runtime that drives the runs. `close` leaves it open. @default a runtime of the worker's own, made of these options */
  readonly runtime?: Runtime;
  /** Maximum number of runs that the worker drives at a time: in total, or also per workflow and per key. @default 8 in total */
  readonly concurrency?: number | WorkerConcurrency;
  /** Schedules that start runs, made by `schedule` of `agent-machines/schedules`. @default [] */
  readonly schedules?: readonly Schedule[];
  /** Interval between two polls for work, in milliseconds. @default 1_000 */
  readonly pollMs?: number;
  /** Time limit for runs to finish on `close`, in milliseconds. Then `close` suspends them. @default 10_000 */
  readonly drainMs?: number;
  /** Version of your app, which `listWorkers` shows. It may have 100 characters. Default: none. */
  readonly version?: string;
  /** Workflows that `workflowFor` makes, as `id version` or `id`. `listWorkers` shows them beside `workflows`. @default [] */
  readonly offers?: readonly string[];
  /** `server` for the worker of a server, which also drives the runs that clients start. `listWorkers` shows it. @default 'worker' */
  readonly role?: WorkerRole;
  /** Closes the worker when it is aborted. */
  readonly signal?: AbortSignal;
  /**
   * Receives the worker's events. @default warns of `trouble`, once per code: by `process.emitWarning`, or on the console where there is no
   * process
   */
  readonly onEvent?: (event: WorkerEvent) => void;
  /** Counts the worker and its events: `createMetrics` of `agent-machines/metrics`. Default: no metrics. */
  readonly metrics?: WorkerObserver;
}

/** Observes workers, beside `onEvent`. */
export interface WorkerObserver {
  /** @param closed settles when the worker has stopped. @returns the receiver of its events. */
  watchWorker(closed: Promise<void>): (event: WorkerEvent) => void;
}

/** Events of a worker. */
export type WorkerEvent =
  | { readonly type: 'taken'; readonly runId: string; readonly why: RecoveredRun['why'] }
  /** A schedule has started a run. `dueMs` is its scheduled time, in milliseconds since 1970. */
  | { readonly type: 'fired'; readonly runId: string; readonly schedule: string; readonly dueMs: number }
  | { readonly type: 'rested'; readonly runId: string; readonly result: RunResult<unknown> }
  /** A run without an owner cannot be resumed here. Emitted again once a minute while this lasts. */
  | { readonly type: 'left'; readonly runId: string; readonly error: ErrorInfo }
  /** The store is unavailable. The worker retries after a longer pause. With `final`, a retry cannot help and the worker stops. */
  | { readonly type: 'trouble'; readonly error: ErrorInfo; readonly final?: true };

/** Polls for work as long as the process lives. */
export interface Worker {
  /**
   * Stops resuming runs, waits up to `drainMs` for those at work, then suspends the rest for the next worker. Also works after the worker
   * has stopped by itself.
   */
  close(): Promise<void>;
  /**
   * Settles when the worker or its runtime has been closed. Rejects with the store's error when the worker stops because no retry can help:
   * `ADAPTER_MISSING`, `OPTION_INVALID`, `ENGINE_TOO_OLD`, `STORE_VERSION`, `STORE_LOST`. If it has no handler, the rejection does not end
   * the process.
   */
  readonly closed: Promise<void>;
}

/**
 * Maximum pause between two polls of an unavailable store, and the time for which a run that cannot be resumed is skipped. In milliseconds.
 */
const longestPauseMs = 30_000;
const forgetLeftMs = 60_000;

/** Permanent errors of the store as a whole. Errors of a single run have other codes. */
const finalCodes = ['ADAPTER_MISSING', 'OPTION_INVALID', 'ENGINE_TOO_OLD', 'STORE_VERSION', 'STORE_LOST'] as const;

/**
 * Makes a worker. It resumes runs whose process has died and runs whose timer is due. It takes queued runs in order, and starts the runs of
 * `schedules` when they are due.
 *
 * @throws {WorkflowError} `OPTION_INVALID`.
 * @example
 * const stop = new AbortController();
 * process.once('SIGTERM', () => stop.abort());
 * await createWorker({ store, workflows: [planExecute()], signal: stop.signal }).closed;
 */
export function createWorker(options: WorkerOptions): Worker {
  checkOptions('createWorker', options, workerOptions);
  return new RunWorker(options);
}

const workerOptions = {
  ...runtimeOptions,
  runtime: objectWith('a Runtime', 'recover'),
  concurrency: {
    what: 'a whole number of 1 or more, or { total, perWorkflow, key, perKey }',
    is: (value: unknown) => count.is(value) || object.is(value),
  },
  pollMs: count,
  drainMs: { what: 'a number from 0', is: (value: unknown) => typeof value === 'number' && value >= 0 },
  signal: objectWith('an AbortSignal', 'addEventListener'),
  onEvent: fn,
  metrics: objectWith('the result of createMetrics', 'watchWorker'),
  schedules: list,
  version: {
    what: 'a text of 1 to 100 characters',
    is: (value: unknown) => typeof value === 'string' && value !== '' && value.length <= 100,
  },
  offers: listOf('texts', text.is),
  role: oneOf('worker', 'server'),
};

class RunWorker implements Worker {
  readonly closed: Promise<void>;
  readonly #runtime: Runtime;
  readonly #ownRuntime: boolean;
  readonly #clock: Clock;
  readonly #slots: WorkerSlots;
  readonly #pollMs: number;
  readonly #drainMs: number;
  readonly #tell: (event: WorkerEvent) => void;
  readonly #closing = new AbortController();
  readonly #drained: Promise<void>;
  readonly #atWork = new Map<string, Run<unknown>>();
  readonly #left = new Set<string>();
  readonly #scheduleStarter: ScheduleStarter;
  /** Absent for a runtime that `createRuntime` has not made. */
  readonly #storedSchedules: StoredScheduleStarter | undefined;
  readonly #declaredSchedules: DeclaredSchedules | undefined;
  readonly #presence: WorkerPresence | undefined;
  #forgetLeftAt = 0;
  /** Ends the pause between two polls. */
  #wake: () => void = () => {};

  constructor({
    runtime,
    concurrency,
    pollMs = 1_000,
    drainMs = 10_000,
    signal,
    onEvent = warnOfTrouble(),
    metrics,
    schedules = [],
    version,
    offers = [],
    role = 'worker',
    ...own
  }: WorkerOptions) {
    const workflows = new Set([...(own.workflows ?? []), ...schedules.map(({ workflow }) => workflow)]);
    this.#runtime = runtime ?? createRuntime({ ...own, workflows: [...workflows] });
    this.#ownRuntime = runtime === undefined;
    this.#clock = own.clock ?? clockOf(this.#runtime);
    this.#scheduleStarter = new ScheduleStarter(this.#runtime, this.#clock, schedules);
    const core = coreOf(this.#runtime);
    const declared = new Set(schedules.map(({ name }) => name));
    this.#storedSchedules = core && new StoredScheduleStarter({ core, declared, onStart: (start) => this.#tellStart(start) });
    this.#declaredSchedules = core && new DeclaredSchedules(core, schedules);
    // The seed differs between processes, which start at different moments. A test's clock makes it reproducible.
    const random = seededRandom(`${this.#clock.now()} ${this.#clock.monotonic()}`);
    this.#slots = new WorkerSlots(concurrency, random, (runId, cause) => {
      if (!this.#left.has(runId)) this.#leave(runId, toErrorInfo(cause));
    });
    this.#pollMs = checkTimeout('pollMs', pollMs);
    this.#presence = core && new WorkerPresence({ core, role, version, offers, slots: this.#slots.total, pollMs });
    this.#drainMs = drainMs;
    let count: (event: WorkerEvent) => void = () => {};
    this.#tell = (event) => {
      count(event);
      onEvent(event);
    };
    const polling = this.#poll();
    const closing = new Promise<void>((resolve) => this.#closing.signal.addEventListener('abort', () => resolve()));
    this.#drained = closing.then(() => this.#drain(polling));
    this.closed = this.#drained.then(() => polling);
    this.closed.catch(() => {}); // the error was also emitted as `trouble`
    if (metrics) count = metrics.watchWorker(this.closed);
    this.#closeWith(signal);
    this.#closeWith(core?.closing);
    if (this.#presence) this.#leaveWith(this.#presence, core);
  }

  #closeWith(signal: AbortSignal | undefined): void {
    if (signal?.aborted) this.#closing.abort();
    signal?.addEventListener('abort', () => this.#closing.abort(), { once: true, signal: this.#closing.signal });
  }

  /** Removes the presence before the close of the runtime settles, because the caller may close the store next. */
  #leaveWith(presence: WorkerPresence, core: RuntimeCore | undefined): void {
    const leave = (): Promise<void> => presence.leave();
    core?.closers.add(leave);
    const forget = (): void => void core?.closers.delete(leave);
    this.#drained.then(forget, forget);
  }

  close(): Promise<void> {
    this.#closing.abort();
    return this.#drained;
  }

  /** Polls for work until the worker is closed. On a permanent error, closes the worker and rejects. */
  async #poll(): Promise<void> {
    const { signal } = this.#closing;
    const troublePolicy = { firstDelayMs: 2 * this.#pollMs, longestDelayMs: Math.max(longestPauseMs, this.#pollMs) };
    let failures = 0;
    while (!signal.aborted) {
      const woken = new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      try {
        await this.#presence?.beat(); // before it takes work, so that what a killed worker leaves is listed
        await this.#fire();
        await this.#declaredSchedules?.publish();
        await this.#storedSchedules?.startDue();
        await this.#resumeFound();
        failures = 0;
      } catch (cause) {
        if (signal.aborted) return;
        this.#assertMends(cause);
        failures++;
      }
      const pauseMs = failures === 0 ? this.#pauseMs() : growingDelay(failures, troublePolicy);
      await Promise.race([pause(pauseMs, this.#clock, signal).catch(() => {}), woken]);
    }
  }

  /** @throws an error that no retry can fix, after aborting `#closing`. */
  #assertMends(cause: unknown): void {
    const isOver = hasCode(cause, 'RUNTIME_CLOSED'); // the owner has closed the runtime, which is no error
    const isFinal = hasCode(cause, ...finalCodes) && !cause.retryable;
    if (isOver || isFinal) this.#closing.abort();
    if (!isOver) this.#tell({ type: 'trouble', error: toErrorInfo(cause), ...(isFinal ? { final: true } : {}) });
    if (isFinal) throw cause;
  }

  /** Pause until the next poll, in milliseconds. A schedule's next time shortens it. */
  #pauseMs(): number {
    const declaredAt = this.#slots.left === 0 ? undefined : this.#scheduleStarter.nextAt; // stored schedules take no slot
    const nextAt = Math.min(declaredAt ?? Number.POSITIVE_INFINITY, this.#storedSchedules?.nextAt ?? Number.POSITIVE_INFINITY);
    return Math.min(this.#pollMs, Math.max(1, nextAt - this.#clock.now()));
  }

  async #fire(): Promise<void> {
    for (const { schedule, dueMs, runId, started, isLeft } of await this.#scheduleStarter.startDue(this.#slots)) {
      if ('code' in started) {
        this.#tell({ type: 'left', runId, error: started });
        continue;
      }
      this.#tell({ type: 'fired', runId, schedule, dueMs });
      this.#declaredSchedules?.started(schedule, dueMs);
      if (isLeft) this.#leaveToAll(started);
      else this.#follow(started);
    }
  }

  /** Leaves a scheduled run that waits for its thread without a slot. This worker or another one takes it when the thread is free. */
  #leaveToAll(run: Run<unknown>): void {
    void run.result.then((result) => {
      if (result.status === 'failed') this.#tell({ type: 'rested', runId: run.id, result });
      this.#wake();
    });
  }

  #tellStart({ schedule, dueMs, runId, error }: StoredStart): void {
    this.#tell(error ? { type: 'left', runId, error } : { type: 'fired', runId, schedule, dueMs });
  }

  #follow(run: Run<unknown>): void {
    this.#atWork.set(run.id, run);
    void run.result.then((result) => {
      this.#atWork.delete(run.id);
      this.#slots.release(run.id);
      this.#tell({ type: 'rested', runId: run.id, result });
      this.#wake();
    });
  }

  async #resumeFound(): Promise<void> {
    const limit = this.#slots.left;
    if (limit === 0) return;
    if (this.#clock.monotonic() >= this.#forgetLeftAt) {
      this.#left.clear();
      this.#storedSchedules?.forgetLeft();
      this.#forgetLeftAt = this.#clock.monotonic() + forgetLeftMs;
    }
    const { taken, left } = await this.#runtime.recover({
      limit,
      watch: false,
      except: this.#left,
      choose: (candidates, isDriven) => this.#slots.choose(candidates, isDriven),
      ...(this.#slots.fitsBeside ? { fits: this.#slots.fitsBeside } : {}),
    });
    for (const { run, why } of taken) {
      this.#tell({ type: 'taken', runId: run.id, why });
      this.#follow(run);
    }
    for (const { runId, error } of left) this.#leave(runId, error);
  }

  #leave(runId: string, error: ErrorInfo): void {
    this.#left.add(runId);
    this.#tell({ type: 'left', runId, error });
  }

  async #drain(polling: Promise<void>): Promise<void> {
    this.#presence?.drain(this.#drainMs);
    const idle = polling.catch(() => {}).then(() => Promise.all([...this.#atWork.values()].map(({ result }) => result)));
    await withTimeout(
      () => idle,
      this.#drainMs,
      this.#clock,
      async () => [],
    );
    if (this.#ownRuntime) await this.#runtime.close();
    else await Promise.all([...this.#atWork.keys()].map((runId) => this.#runtime.pause(runId, { handOver: true })));
    await this.#presence?.leave();
  }
}

/** Default `onEvent`: distinguishes a worker that is stuck from one that is idle. */
function warnOfTrouble(): (event: WorkerEvent) => void {
  const warned = new Set<string>();
  return (event) => {
    if (event.type !== 'trouble' || warned.has(event.error.code)) return;
    const { code, message, hint = '' } = event.error;
    warned.add(code);
    warn(`A worker cannot use its store and ${event.final ? 'has stopped' : 'retries'}: ${message} ${hint}`.trim(), code);
  };
}
