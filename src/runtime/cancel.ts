import type { RunStore } from '../ports/run-store.ts';
import { hasCode } from '../util/has-code.ts';
import { assertId } from '../util/ids.ts';
import { nextTurn } from '../util/next-turn.ts';
import type { RuntimeCore } from './runtime-core.ts';

/** Ends a run for good, wherever it is driven. */
export async function cancel(core: RuntimeCore, runId: string): Promise<void> {
  assertId(runId, 'run');
  const here = await core.driven(runId);
  here?.stop('cancelled');
  if ((await here?.result)?.status !== 'cancelled') await settleCancelled(core, runId);
}

/** Ends a run that nobody here drives, without waiting for whoever does. */
export async function settleCancelled(core: RuntimeCore, runId: string): Promise<void> {
  core.runs.cancelWake(runId);
  for (;;) {
    try {
      return await settle(core, runId);
    } catch (cause) {
      if (!hasCode(cause, 'RUN_FENCED')) throw cause;
      // somebody else has taken it since, to cancel it too, or to drive it: two in step would take it from each other for ever
      await nextTurn();
      if ((await core.store.read(runId))?.status === 'cancelled') return;
    }
  }
}

async function settle({ store, clock, runs }: RuntimeCore, runId: string): Promise<void> {
  const { lease, record } = await store.acquire(runId, { ...runs.leaseRequest(), force: true, toEnd: true });
  const said = await countEvents(store, runId);
  const at = clock.now();
  await store.settle(lease, {
    status: 'cancelled',
    activeMs: record.activeMs,
    entry: {
      seq: record.seq + 1,
      key: 'run',
      kind: 'settle',
      outcome: { status: 'cancelled' },
      events: said === undefined ? [] : [{ type: 'run-end', status: 'cancelled', seq: said + 1, at }],
      epoch: lease.epoch,
      at,
    },
  });
}

/** How many events a run has said; `undefined` of one whose journal does not hold: its thread must be free of it all the same. */
async function countEvents(store: RunStore, runId: string): Promise<number | undefined> {
  try {
    return (await store.journal(runId)).reduce((count, { events }) => count + events.length, 0);
  } catch (cause) {
    if (hasCode(cause, 'JOURNAL_CORRUPT', 'JOURNAL_MISSING')) return undefined;
    throw cause;
  }
}
