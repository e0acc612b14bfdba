import { WorkflowError } from '../errors.ts';
import { assertId } from '../util/ids.ts';
import type { RuntimeCore } from './runtime-core.ts';

/** Ends a run for good, wherever it is driven. */
export async function cancel(core: RuntimeCore, runId: string): Promise<void> {
  assertId(runId, 'run');
  const here = core.runs.get(runId);
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
      if (!WorkflowError.isInstance(cause) || cause.code !== 'RUN_FENCED') throw cause;
      // somebody else has taken it since: to cancel it too, or to drive it
      if ((await core.store.read(runId))?.status === 'cancelled') return;
    }
  }
}

async function settle({ store, clock, runs }: RuntimeCore, runId: string): Promise<void> {
  const { lease, record } = await store.acquire(runId, { ...runs.leaseRequest(), force: true, toEnd: true });
  const entries = await store.journal(runId);
  const at = clock.now();
  const seq = 1 + entries.reduce((count, { events }) => count + events.length, 0);
  await store.settle(lease, {
    status: 'cancelled',
    activeMs: record.activeMs,
    entry: {
      seq: record.seq + 1,
      key: 'run',
      kind: 'settle',
      outcome: { status: 'cancelled' },
      events: [{ type: 'run-end', status: 'cancelled', seq, at }],
      epoch: lease.epoch,
      at,
    },
  });
}
