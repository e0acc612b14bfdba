import type { WorkflowError } from '../../core/errors/errors.ts';
import { hasCode } from '../../core/util/has-code.ts';
import { retryWith } from '../../core/util/retryer.ts';
import type { LeasedRun } from './runs-in-progress.ts';
import type { RuntimeCore } from './runtime-core.ts';

/** Number of polls per lease length while the owner may be gone. A live owner renews the lease 3 times in its length. */
const pollsPerLease = 6;

export interface AcquireOptions {
  /** Acquires the run even from a live owner. @default false */
  readonly force?: boolean;
  /** Waits when it is unknown whether the run's owner is still alive. @default true */
  readonly watch?: boolean;
  /** True for work that no caller has requested. Such a run must fit the concurrency limits. @default false */
  readonly asWork?: boolean;
  /** Fails at once when the run was acquired after this epoch, or is about to be. Default: wait until the run is free. */
  readonly epoch?: number;
}

/**
 * Acquires a run. If it is unknown whether its owner is still alive, polls the lease until it expires at the latest.
 * @throws {WorkflowError} as `RunStore.acquire`; `RUN_BUSY` at once when the owner is alive; `RUNTIME_CLOSED`.
 */
export function acquireRun(
  core: RuntimeCore,
  runId: string,
  { force = false, watch = true, asWork = false, epoch }: AcquireOptions,
): Promise<LeasedRun> {
  const { store, clock, runs, closing } = core;
  let giveUpAt: number | undefined;
  let pauseMs = 0;
  const delayOf = (_: number, cause: unknown): number | undefined => {
    const waitMs = watch ? waitMsOf(cause) : undefined;
    if (waitMs === undefined) return undefined;
    const now = clock.monotonic();
    giveUpAt ??= now + waitMs;
    pauseMs ||= waitMs / pollsPerLease;
    return now < giveUpAt ? Math.max(1, Math.min(pauseMs, giveUpAt - now)) : undefined;
  };
  const fits = asWork && core.fits ? { fits: core.fits } : {};
  const options = { force, ...fits, ...(epoch === undefined ? {} : { atOnce: true, epoch }) };
  return retryWith(delayOf, () => runs.take((request) => store.acquire(runId, { ...request, ...options })), clock, closing);
}

/** True when it is unknown whether the run's owner is still alive. */
export const hasUncertainOwner = (cause: unknown): cause is WorkflowError =>
  hasCode(cause, 'RUN_BUSY') && cause.data?.ownerMayBeGone === true;

/** Milliseconds until the run may be free, if its owner may be gone. */
function waitMsOf(cause: unknown): number | undefined {
  const waitMs = hasUncertainOwner(cause) && cause.data?.waitMs;
  return typeof waitMs === 'number' ? waitMs : undefined;
}
