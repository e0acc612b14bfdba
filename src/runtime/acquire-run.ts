import { WorkflowError } from '../errors.ts';
import type { AcquiredRun } from '../ports/run-store.ts';
import { pause } from '../util/pause.ts';
import type { RuntimeCore } from './runtime-core.ts';

/** How often a lease is looked at while its owner may be gone: a live one renews it three times in its length. */
const looksPerLease = 6;

export interface AcquireOptions {
  /** Take the run even from a live owner. @default false */
  readonly force?: boolean;
  /** Wait where nobody can tell whether its owner is still at work. @default true */
  readonly watch?: boolean;
}

/**
 * Takes a run over. Where nobody can tell whether its owner is still at work, it watches the lease, at most for as long as that holds.
 * @throws {WorkflowError} as `RunStore.acquire`; `RUN_BUSY` at once when the owner is at work; `RUNTIME_CLOSED`.
 */
export async function acquireRun(core: RuntimeCore, runId: string, { force = false, watch = true }: AcquireOptions): Promise<AcquiredRun> {
  const { store, clock, runs } = core;
  let giveUpAt: number | undefined;
  let pauseMs = 0;
  for (;;) {
    try {
      return await store.acquire(runId, { ...runs.leaseRequest(), force });
    } catch (cause) {
      const waitMs = watch ? worthWaitingMs(cause) : undefined;
      if (waitMs === undefined) throw cause;
      const now = clock.monotonic();
      if (giveUpAt === undefined) {
        giveUpAt = now + waitMs;
        pauseMs = waitMs / looksPerLease;
      }
      if (now >= giveUpAt) throw cause;
      const nextMs = Math.max(1, Math.min(pauseMs, giveUpAt - now));
      await pause(nextMs, clock, core.closing);
    }
  }
}

/** After how long the run may be free, when its owner may be gone. */
function worthWaitingMs(cause: unknown): number | undefined {
  if (!WorkflowError.isInstance(cause) || cause.code !== 'RUN_BUSY' || cause.data?.ownerMayBeGone !== true) return undefined;
  const { waitMs } = cause.data;
  return typeof waitMs === 'number' ? waitMs : undefined;
}
