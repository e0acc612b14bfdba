import type { CancelRequest, RunStore } from '../ports/run-store.ts';
import { runEnded } from '../stores/store-errors.ts';
import { hasCode } from '../util/has-code.ts';
import { assertId } from '../util/ids.ts';
import type { RuntimeCore } from './runtime-core.ts';

/** How often the journal is read while a driver writes to it in between; then the run is taken from that driver first. */
const maxLooks = 3;

/** Ends a run for good, wherever it is driven. Of all callers, one succeeds. */
export async function cancel(core: RuntimeCore, runId: string): Promise<void> {
  assertId(runId, 'run');
  const here = await core.driven(runId);
  const isFirst = here?.asked === undefined;
  here?.stop('cancelled');
  if ((await here?.result)?.status !== 'cancelled') return settleCancelled(core, runId);
  if (!isFirst || here?.isEndedElsewhere) throw runEnded(runId, 'cancelled');
}

/** Ends a run that is not driven here, without waiting for its driver. */
export async function settleCancelled(core: RuntimeCore, runId: string): Promise<void> {
  const { store, clock, runs } = core;
  runs.cancelWake(runId);
  for (let looks = 1; ; looks++) {
    try {
      if (looks > maxLooks) await store.acquire(runId, { ...runs.leaseRequest(), force: true });
      await store.cancel(runId, { now: clock.now(), ...(await lookAt(store, runId)) });
      return;
    } catch (cause) {
      if (!hasCode(cause, 'RUN_FENCED')) throw cause;
    }
  }
}

/** What is known of a journal; nothing of a damaged one, whose run must leave its thread all the same. */
async function lookAt(store: RunStore, runId: string): Promise<Pick<CancelRequest, 'seen'>> {
  try {
    const entries = await store.journal(runId);
    return { seen: { seq: entries.length, events: entries.reduce((count, { events }) => count + events.length, 0) } };
  } catch (cause) {
    if (hasCode(cause, 'JOURNAL_CORRUPT', 'JOURNAL_MISSING')) return {};
    throw cause;
  }
}
