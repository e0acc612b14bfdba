import type { WorkflowError } from '../errors.ts';
import { hasCode } from '../util/has-code.ts';
import { retryWith } from '../util/retryer.ts';
import type { TakenRun } from './runs-in-progress.ts';
import type { RuntimeCore } from './runtime-core.ts';

/** How often a lease is looked at while its owner may be gone: a live one renews it three times in its length. */
const looksPerLease = 6;

export interface AcquireOptions {
  /** Take the run even from a live owner. @default false */
  readonly force?: boolean;
  /** Wait where nobody can tell whether its owner is still at work. @default true */
  readonly watch?: boolean;
  /** Not by somebody's wish: it must fit beside what is driven. @default false */
  readonly asWork?: boolean;
  /** Not when somebody has taken it since this epoch, or is about to. Default: wait for that */
  readonly epoch?: number;
}

/**
 * Takes a run over. Where nobody can tell whether its owner is still at work, it watches the lease, at most for as long as that holds.
 * @throws {WorkflowError} as `RunStore.acquire`; `RUN_BUSY` at once when the owner is at work; `RUNTIME_CLOSED`.
 */
export function acquireRun(
  core: RuntimeCore,
  runId: string,
  { force = false, watch = true, asWork = false, epoch }: AcquireOptions,
): Promise<TakenRun> {
  const { store, clock, runs, closing } = core;
  let giveUpAt: number | undefined;
  let pauseMs = 0;
  const delayOf = (_: number, cause: unknown): number | undefined => {
    const waitMs = watch ? worthWaitingMs(cause) : undefined;
    if (waitMs === undefined) return undefined;
    const now = clock.monotonic();
    giveUpAt ??= now + waitMs;
    pauseMs ||= waitMs / looksPerLease;
    return now < giveUpAt ? Math.max(1, Math.min(pauseMs, giveUpAt - now)) : undefined;
  };
  const fits = asWork && core.fits ? { fits: core.fits } : {};
  const options = { force, ...fits, atOnce: epoch !== undefined };
  return retryWith(delayOf, () => runs.take((request) => store.acquire(runId, { ...request, ...options })), clock, closing);
}

/** Nobody can tell whether its owner is still at work. */
export const mayBeGone = (cause: unknown): cause is WorkflowError => hasCode(cause, 'RUN_BUSY') && cause.data?.ownerMayBeGone === true;

/** After how long the run may be free, when its owner may be gone. */
function worthWaitingMs(cause: unknown): number | undefined {
  const waitMs = mayBeGone(cause) && cause.data?.waitMs;
  return typeof waitMs === 'number' ? waitMs : undefined;
}
