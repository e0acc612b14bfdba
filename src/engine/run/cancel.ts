import type { CancelRequest, RunStore } from '../../core/ports/run-store.ts';
import { hasCode } from '../../core/util/has-code.ts';
import { assertId } from '../../core/util/ids.ts';
import { runEnded } from '../store/store-errors.ts';
import type { RuntimeCore } from './runtime-core.ts';

/** Maximum number of reads of a journal that its driver keeps writing to. After that, the run is acquired from the driver first. */
const maxReads = 3;

/** Ends a run for good, wherever it is driven. Exactly one caller succeeds. */
export async function cancel(core: RuntimeCore, runId: string): Promise<void> {
  assertId(runId, 'run');
  const here = await core.driven(runId);
  const isFirst = here?.stopRequest === undefined;
  here?.stop('cancelled');
  if ((await here?.result)?.status !== 'cancelled') return settleCancelled(core, runId);
  if (!isFirst || here?.isEndedElsewhere) throw runEnded(runId, 'cancelled');
}

/** Ends a run that is not driven here, without waiting for its driver. */
export async function settleCancelled(core: RuntimeCore, runId: string): Promise<void> {
  const { store, clock, runs } = core;
  runs.cancelWake(runId);
  for (let reads = 1; ; reads++) {
    try {
      if (reads > maxReads) await store.acquire(runId, { ...runs.leaseRequest(), force: true });
      // Decision 429: one transaction, because separate writes of two callers fence each other forever.
      await store.cancel(runId, { now: clock.now(), ...(await readSize(store, runId)) });
      return;
    } catch (cause) {
      if (!hasCode(cause, 'RUN_FENCED')) throw cause;
    }
  }
}

/** Size of a journal. Empty for a damaged journal, because its run must still leave its thread. */
async function readSize(store: RunStore, runId: string): Promise<Pick<CancelRequest, 'seen'>> {
  try {
    const entries = await store.journal(runId);
    return { seen: { seq: entries.length, events: entries.reduce((count, { events }) => count + events.length, 0) } };
  } catch (cause) {
    if (hasCode(cause, 'JOURNAL_CORRUPT', 'JOURNAL_MISSING')) return {};
    throw cause;
  }
}
