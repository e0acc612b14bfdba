import { toErrorInfo } from '../../core/errors/errors.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { ErrorInfo } from '../../core/ports/error-info.ts';
import type { AcquiredRun, Awaitable, Lease, LeaseRequest, RunStore } from '../../core/ports/run-store.ts';
import { hasCode } from '../../core/util/has-code.ts';
import { newId } from '../../core/util/ids.ts';
import { growingDelay } from '../../core/util/retryer.ts';
import { withTimeout } from '../../core/util/with-timeout.ts';
import { isUnavailable, retryStore } from '../drive/retry-store.ts';
import type { Run } from '../drive/run.ts';
import type { SettledRun } from '../drive/to-result.ts';
import { runFenced } from '../store/store-errors.ts';
import type { ActiveRun, PrepareDrive } from './active-run.ts';
import { clockReady } from './store-clock.ts';

export interface RunsInProgressOptions {
  readonly store: RunStore;
  readonly clock: Clock;
  readonly leaseMs: number;
  /** Resumes a run whose timer is due. */
  readonly wake: (runId: string) => Promise<Run<unknown>>;
  /** Called when a run of a thread has ended or was suspended. */
  readonly rested: (threadId: string) => void;
}

/** An acquired run, with the monotonic time just before the request, in milliseconds. */
export interface LeasedRun extends AcquiredRun {
  readonly requestedAt: number;
}

/** Shortest and longest pause before a run with a due timer is retried after its store was unavailable, in milliseconds. */
const wakePolicy = { firstDelayMs: 1_000, longestDelayMs: 60_000 };

/** Interval of the lease checks of the runs in progress, in milliseconds. A run that was cancelled elsewhere stops within this time. */
const leaseCheckMs = 200;

/** Runs that one runtime drives. Keeps and watches their leases, and resumes suspended runs when their timers are due. */
export class RunsInProgress {
  /** Name of the runtime in its leases. */
  readonly owner: string = newId('o');
  readonly #options: RunsInProgressOptions;
  readonly #runs = new Map<string, ActiveRun<unknown>>();
  readonly #wakeTimers = new Map<string, () => void>();
  readonly #closing = new AbortController();
  #cancelRenewal: (() => void) | undefined;
  #cancelLeaseCheck: (() => void) | undefined;
  #stopWatch: (() => void) | undefined;

  constructor(options: RunsInProgressOptions) {
    this.#options = options;
  }

  /** Number of runs. */
  get size(): number {
    return this.#runs.size;
  }

  get(runId: string): ActiveRun<unknown> | undefined {
    return this.#runs.get(runId);
  }

  /** Acquires a run and records the time just before the request. */
  async take(ask: (request: LeaseRequest) => Awaitable<AcquiredRun>): Promise<LeasedRun> {
    const ready = clockReady(this.#options.clock);
    if (ready) await ready;
    const request = this.leaseRequest();
    return { ...(await ask(request)), requestedAt: request.monotonic };
  }

  leaseRequest(): LeaseRequest {
    const { clock, leaseMs } = this.#options;
    return { owner: this.owner, leaseMs, now: clock.now(), monotonic: clock.monotonic() };
  }

  /** Drives a run until it rests. Never rejects. */
  async drive(run: ActiveRun<unknown>, acquire: () => Awaitable<LeasedRun>, prepare?: PrepareDrive): Promise<void> {
    this.#runs.set(run.id, run);
    this.#keepLeases();
    this.#watchLeases();
    let result: SettledRun<unknown>;
    try {
      const taken = await acquire();
      run.renewedAt = taken.requestedAt;
      result = await run.drive(taken, () => this.#confirm(run), prepare);
    } catch (cause) {
      // a run that could not be suspended as requested still exists in the store
      result =
        run.stopRequest === undefined || !isSuspended(cause)
          ? { status: 'failed', error: toErrorInfo(cause) }
          : { status: run.stopRequest };
    }
    if (result.status === 'failed' && (await this.#isCancelled(run.id, result.error))) {
      run.isEndedElsewhere = true;
      result = { status: 'cancelled' };
    }
    if (this.#runs.get(run.id) === run) this.#runs.delete(run.id); // before the result, because its receiver may resume the run
    run.conclude(result);
    if (result.status === 'waiting' && run.wakeAt !== undefined) this.wakeLater(run.id, run.wakeAt);
    if (run.threadId !== undefined) this.#options.rested(run.threadId);
  }

  /** Cancels the wake timer of a run that is being resumed, or that has ended. */
  cancelWake(runId: string): void {
    this.#wakeTimers.get(runId)?.();
    this.#wakeTimers.delete(runId);
  }

  /** Waits until the runs in progress rest, at most `drainMs`. */
  async drain(drainMs: number): Promise<void> {
    const results = [...this.#runs.values()].map(({ result }) => result);
    await withTimeout(
      () => Promise.all(results),
      drainMs,
      this.#options.clock,
      async () => [],
    );
  }

  /** Suspends every run, for the next `recover`. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#cancelRenewal?.();
    for (const runId of [...this.#wakeTimers.keys()]) this.cancelWake(runId);
    const runs = [...this.#runs.values()];
    for (const run of runs) run.stop('paused', true);
    await Promise.all(runs.map(({ result }) => result));
    this.#cancelLeaseCheck?.();
    this.#stopWatch?.();
  }

  /** Resumes a suspended run when its timer is due. */
  wakeLater(runId: string, wakeAt: number): void {
    if (!this.#closing.signal.aborted) this.#schedule(runId, wakeAt, 1);
  }

  #schedule(runId: string, wakeAt: number, attempt: number): void {
    const { clock } = this.#options;
    const callback = (): void => {
      this.#wakeTimers.delete(runId);
      void this.#wake(runId, attempt);
    };
    this.#wakeTimers.set(runId, clock.schedule(Math.max(0, wakeAt - clock.now()), callback, { background: true }));
  }

  /** Resumes a run whose timer is due. Never rejects. */
  async #wake(runId: string, attempt: number): Promise<void> {
    try {
      const run = await this.#options.wake(runId);
      const result = await run.result;
      if (result.status !== 'failed' || result.error.code !== 'STORE_UNAVAILABLE') return;
    } catch (cause) {
      // nothing to wake if another process has the run or has answered it
      if (!isUnavailable(cause)) return;
    }
    if (this.#closing.signal.aborted || this.#runs.has(runId)) return;
    this.#schedule(runId, this.#options.clock.now() + growingDelay(attempt, wakePolicy), attempt + 1);
  }

  #keepLeases(): void {
    const { clock, leaseMs } = this.#options;
    const renewAll = (): void => {
      this.#cancelRenewal = undefined;
      for (const run of this.#runs.values()) void this.#renew(run);
      if (this.#runs.size > 0) this.#keepLeases();
    };
    this.#cancelRenewal ??= clock.schedule(leaseMs / 3, renewAll, { background: true });
  }

  /**
   * Polls, as long as there are runs, whether another process has taken or ended one. A run with long steps writes nothing meanwhile, so
   * its writes cannot detect it.
   */
  #watchLeases(): void {
    const { clock, store } = this.#options;
    const again = (): void => {
      this.#cancelLeaseCheck?.();
      this.#cancelLeaseCheck = undefined;
      if (this.#runs.size > 0) this.#watchLeases();
    };
    // also after an error, since the store may be unavailable only for a moment
    const check = (): void => void this.#checkLeases().then(again, again);
    this.#stopWatch ??= store.onTakenOver?.(check);
    this.#cancelLeaseCheck ??= clock.schedule(leaseCheckMs, check, { background: true });
  }

  async #checkLeases(): Promise<void> {
    const leases = [...this.#runs.values()].flatMap(({ lease }) => lease ?? []);
    const lost = leases.length > 0 ? await this.#options.store.lost(leases) : [];
    for (const lease of lost) {
      const run = this.#runs.get(lease.runId);
      if (run?.lease === lease) run.fail(runFenced(lease.runId, lease.epoch)); // the run may have been suspended meanwhile
    }
  }

  /** True when a run that this process could not continue was cancelled by another process. */
  async #isCancelled(runId: string, { code, data }: ErrorInfo): Promise<boolean> {
    if (code === 'RUN_ENDED') return data?.status === 'cancelled';
    if (code !== 'RUN_FENCED') return false;
    try {
      return (await this.#options.store.read(runId))?.status === 'cancelled';
    } catch {
      return false; // unknown while the store is unavailable
    }
  }

  /**
   * Renews a lease that was not renewed for half of its length. This process may have been stalled, and another one may drive the run by
   * now. Returns `undefined` while the lease certainly holds.
   */
  #confirm(run: ActiveRun<unknown>): Promise<void> | undefined {
    const { clock, leaseMs } = this.#options;
    const { lease } = run;
    if (!lease || clock.monotonic() - run.renewedAt < leaseMs / 2) return undefined;
    return retryStore(() => this.#extend(run, lease), clock, this.#closing.signal);
  }

  /** Renews the lease. Counts from the time before the request, because the response may take as long as the lease. */
  async #extend(run: ActiveRun<unknown>, lease: Lease): Promise<void> {
    const request = this.leaseRequest();
    await this.#options.store.renew(lease, request);
    run.renewedAt = Math.max(run.renewedAt, request.monotonic);
  }

  async #renew(run: ActiveRun<unknown>): Promise<void> {
    const lease = leaseOf(run);
    if (!lease) return;
    try {
      await this.#extend(run, lease);
    } catch (cause) {
      // An unavailable store is not a lost lease: the next write decides. A queued run that has got its thread meanwhile has not lost its
      // place.
      if (hasCode(cause, 'RUN_FENCED') && leaseOf(run) === lease) run.fail(cause);
    }
  }
}

/** Lease that holds the run: its own, or that of its place in a queue. */
const leaseOf = ({ lease, place }: ActiveRun<unknown>): Lease | undefined => lease ?? place;

const isSuspended = (cause: unknown): boolean => hasCode(cause, 'RUN_SUSPENDED', 'RUNTIME_CLOSED');
