import type { AcquireRequest, RunRecord, RunStore } from '../../core/ports/run-store.ts';
import { check, checkRefused, checkSame } from '../check.ts';
import type { Cases } from '../contract-case.ts';
import { begin, countWinners, leaseMs, requestBy, startMs } from './example-run.ts';

/** Adds a run without a driver. */
const createPaused = async (store: RunStore, id: string): Promise<void> => {
  const { lease } = await begin(store, id);
  await store.settle(lease, { status: 'paused', activeMs: 0, wakeAt: startMs });
};

/** Requests a run that fits only beside at most `most` driven runs. Notes the driven runs in `seen`. */
const requestAmongMost = (most: number, owner: string, nowMs: number, seen: string[][] = []): AcquireRequest => ({
  ...requestBy(owner, nowMs),
  fits(_run, driven: readonly RunRecord[]) {
    seen.push(driven.map(({ id }) => id).sort());
    return driven.length <= most;
  },
});

/** Limits on the number of runs that are driven at the same time. */
export const concurrencyCases: Cases<RunStore> = {
  'hands over a run as soon as it fits beside the driven runs': async (store) => {
    const one = await begin(store, 'r_1');
    await begin(store, 'r_2');
    await createPaused(store, 'r_3');
    const before = [await store.read('r_3'), await store.journal('r_3')];
    const seen: string[][] = [];
    const error = await checkRefused(() => store.acquire('r_3', requestAmongMost(1, 'o_2', startMs, seen)), 'RUN_BUSY');
    checkSame([error.data?.heldBack, error.data?.ownerMayBeGone], [true, undefined], 'heldBack and ownerMayBeGone');
    checkSame(seen.at(-1), ['r_1', 'r_2'], 'the driven runs');
    checkSame([await store.read('r_3'), await store.journal('r_3')], before, 'the refused run');
    await store.settle(one.lease, { status: 'done', activeMs: 0 });
    const { record } = await store.acquire('r_3', requestAmongMost(1, 'o_2', startMs, seen));
    checkSame([record.status, record.epoch, seen.at(-1)], ['running', 2, ['r_2']], 'status, epoch and driven runs');
  },

  'ignores runs with an expired lease and the requested run when it counts driven runs': async (store) => {
    await begin(store, 'r_1');
    const two = await begin(store, 'r_2');
    await createPaused(store, 'r_3');
    const seen: string[][] = [];
    await checkRefused(() => store.acquire('r_3', requestAmongMost(0, 'o_2', startMs, seen)), 'RUN_BUSY');
    await store.renew(two.lease, requestBy('o_1', startMs + leaseMs - 1));
    await checkRefused(() => store.acquire('r_3', requestAmongMost(0, 'o_2', startMs + leaseMs, seen)), 'RUN_BUSY');
    checkSame(seen.at(-1), ['r_2'], 'the driven runs after one lease has expired');
    await checkRefused(() => store.acquire('r_1', requestAmongMost(0, 'o_2', startMs + leaseMs, seen)), 'RUN_BUSY');
    await store.settle(two.lease, { status: 'done', activeMs: 0 });
    const { record } = await store.acquire('r_1', requestAmongMost(0, 'o_2', startMs + leaseMs, seen));
    checkSame([record.crashes, seen.at(-1)], [1, []], 'crashes, and the other driven runs');
  },

  'hands over no more of many concurrently requested runs than fit': async (store) => {
    const ids = ['r_1', 'r_2', 'r_3', 'r_4', 'r_5'];
    for (const id of ids) await createPaused(store, id);
    const requests = ids.map((id, index) => () => store.acquire(id, requestAmongMost(1, `o_${index + 2}`, startMs)));
    checkSame(await countWinners(requests, 'RUN_BUSY'), 2, 'the number of acquired runs');
    const driven = await store.list({ status: 'running' });
    checkSame(driven.length, 2, 'the number of driven runs');
    check((await store.list({ status: 'paused' })).length === 3, 'the other runs are unchanged');
  },
};
