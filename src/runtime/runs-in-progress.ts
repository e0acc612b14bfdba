import { toErrorInfo, WorkflowError } from '../errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { AcquiredRun, LeaseRequest, RunStore } from '../ports/run-store.ts';
import { newId } from '../util/ids.ts';
import type { ActiveRun, PrepareDrive } from './active-run.ts';
import type { RunResult } from './run.ts';

export interface RunsInProgressOptions {
  readonly store: RunStore;
  readonly clock: Clock;
  readonly leaseMs: number;
  /** Goes on with a run whose timer is due. */
  readonly wake: (runId: string) => Promise<unknown>;
}

/** The runs that one runtime drives: their leases are renewed, and their timers wake them after they were put down. */
export class RunsInProgress {
  readonly #options: RunsInProgressOptions;
  readonly #owner = newId('o');
  readonly #runs = new Map<string, ActiveRun<unknown>>();
  readonly #wakeTimers = new Map<string, () => void>();
  #cancelRenewal: (() => void) | undefined;
  #closed = false;

  constructor(options: RunsInProgressOptions) {
    this.#options = options;
  }

  get(runId: string): ActiveRun<unknown> | undefined {
    return this.#runs.get(runId);
  }

  leaseRequest(): LeaseRequest {
    const { clock, leaseMs } = this.#options;
    const now = clock.now();
    return { owner: this.#owner, now, expiresAt: now + leaseMs };
  }

  /** Drives a run to its rest. Never rejects. */
  async drive(run: ActiveRun<unknown>, acquire: () => Promise<AcquiredRun> | AcquiredRun, prepare?: PrepareDrive): Promise<void> {
    this.#runs.set(run.id, run);
    this.#keepLeases();
    let result: RunResult<unknown>;
    try {
      result = await run.drive(await acquire(), prepare);
    } catch (cause) {
      result = run.asked === undefined ? { status: 'failed', error: toErrorInfo(cause) } : { status: run.asked };
    }
    this.#runs.delete(run.id); // first: who has the result may take the run up again
    run.conclude(result);
    if (run.wakeAt !== undefined && !this.#closed) this.#wakeLater(run.id, run.wakeAt);
  }

  /** Forgets the timer of a run that is being taken up, or that has ended. */
  cancelWake(runId: string): void {
    this.#wakeTimers.get(runId)?.();
    this.#wakeTimers.delete(runId);
  }

  /** Puts every run down. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#cancelRenewal?.();
    for (const runId of [...this.#wakeTimers.keys()]) this.cancelWake(runId);
    const runs = [...this.#runs.values()];
    for (const run of runs) run.stop('paused');
    await Promise.all(runs.map(({ result }) => result));
  }

  #wakeLater(runId: string, wakeAt: number): void {
    const { clock, wake } = this.#options;
    const callback = (): void => {
      this.#wakeTimers.delete(runId);
      // somebody else may have it by now, or have answered: then there is nothing to wake
      wake(runId).catch(() => {});
    };
    this.#wakeTimers.set(runId, clock.schedule(Math.max(0, wakeAt - clock.now()), callback, { background: true }));
  }

  /** Renews the leases of all runs, while there are any. */
  #keepLeases(): void {
    const { clock, leaseMs } = this.#options;
    const renewAll = (): void => {
      this.#cancelRenewal = undefined;
      for (const run of this.#runs.values()) void this.#renew(run);
      if (this.#runs.size > 0) this.#keepLeases();
    };
    this.#cancelRenewal ??= clock.schedule(leaseMs / 3, renewAll, { background: true });
  }

  async #renew(run: ActiveRun<unknown>): Promise<void> {
    const lease = run.lease ?? run.place;
    if (!lease) return;
    try {
      await this.#options.store.renew(lease, this.leaseRequest().expiresAt);
    } catch (cause) {
      // a store that cannot be reached for a moment is not a lost lease: the next write will tell
      if (WorkflowError.isInstance(cause) && cause.code === 'RUN_FENCED') run.fail(cause);
    }
  }
}
