import type { RunStore } from '../../core/ports/run-store.ts';
import { check, checkRefused, checkSame } from '../check.ts';
import type { Cases } from '../contract-case.ts';
import { begin, beginAndSettle, leaseMs, newRun, nodeEntry, requestBy, startEntry, startMs, takeOver } from './example-run.ts';

const inThread = { threadId: 't_1' };
const now = startMs + 7;
/** Journal position of an example that has just begun. */
const seen = { seq: 1, events: 1 };

/** Cancellation by a caller other than the run's driver. */
export const cancelCases: Cases<RunStore> = {
  'cancels a driven run in one epoch, with one entry': async (store) => {
    const { lease } = await begin(store, 'r_1');
    await store.append(lease, nodeEntry(2), 5);
    const cancelled = await store.cancel('r_1', { now, seen: { seq: 2, events: 2 } });
    const { status, epoch, seq, crashes, activeMs, updatedAt } = cancelled.record;
    checkSame([status, epoch, seq, crashes, activeMs, updatedAt], ['cancelled', 2, 3, 0, 5, now], 'status, epoch, seq, crashes and times');
    checkSame(cancelled.lease, { runId: 'r_1', epoch: 2 }, 'the lease');
    checkSame(await store.read('r_1'), cancelled.record, 'the record');
    const entry = {
      seq: 3,
      key: 'run',
      kind: 'settle',
      outcome: { status: 'cancelled' },
      events: [{ type: 'run-end', status: 'cancelled', seq: 3, at: now }],
      epoch: 2,
      at: now,
    };
    checkSame([cancelled.entry, (await store.journal('r_1')).at(-1)], [entry, entry], 'the last entry');
    checkSame(await store.lost([lease]), [lease], 'the lost leases');
    await checkRefused(() => store.append(lease, nodeEntry(3), 6), 'RUN_FENCED');
  },

  'cancels a run once when many callers cancel it at the same time': async (store) => {
    await begin(store, 'r_1', inThread);
    const asked = await Promise.allSettled(Array.from({ length: 32 }, async () => store.cancel('r_1', { now, seen })));
    checkSame(asked.filter(({ status }) => status === 'fulfilled').length, 1, 'the number of callers that succeed');
    const error = await checkRefused(() => store.cancel('r_1', { now, seen }), 'RUN_ENDED');
    checkSame(error.data?.status, 'cancelled', 'the status in RUN_ENDED');
    const record = await store.read('r_1');
    checkSame([record?.epoch, record?.seq, record?.crashes], [2, 2, 0], 'epoch, seq and crashes');
    checkSame(await store.readThread('t_1'), { id: 't_1', workflow: 'example', revision: 0, state: null }, 'the thread');
  },

  'cancels a waiting, in-doubt, paused or failed run and clears its timer and error': async (store) => {
    for (const status of ['waiting', 'in_doubt', 'paused', 'failed'] as const) {
      await beginAndSettle(store, `r_${status}`, { status, wakeAt: now, failure: 'UNKNOWN' }, { threadId: `t_${status}` });
      const { record } = await store.cancel(`r_${status}`, { now, seen });
      checkSame([record.status, record.wakeAt, record.failure], ['cancelled', undefined, undefined], `a run that was ${status}`);
      checkSame((await store.readThread(`t_${status}`))?.activeRun, undefined, `the thread of a run that was ${status}`);
    }
  },

  'cancels a queued run and leaves its thread to the next queued run': async (store) => {
    const { lease } = await begin(store, 'r_1', inThread);
    for (const id of ['r_2', 'r_3']) await store.create(newRun(id, { ...inThread, ifBusy: 'queue' }), [startEntry()], requestBy('o_2'));
    const before = await store.readThread('t_1');
    await store.cancel('r_2', { now, seen });
    checkSame(await store.readThread('t_1'), before, 'the thread owned by another run');
    await store.settle(lease, { status: 'done', activeMs: 0 });
    checkSame((await store.acquire('r_3', requestBy('o_2'))).thread?.activeRun, 'r_3', 'the next owner of the thread');
  },

  'cancels a failed run and leaves its thread unchanged if another run owns or has changed it': async (store) => {
    await beginAndSettle(store, 'r_1', { status: 'failed' }, inThread);
    await beginAndSettle(store, 'r_2', { status: 'failed' }, inThread);
    await beginAndSettle(store, 'r_3', { status: 'done', threadState: 'new' }, inThread);
    const cancel = async (id: string): Promise<void> => {
      const before = await store.readThread('t_1');
      await store.cancel(id, { now, seen });
      checkSame(await store.readThread('t_1'), before, 'the thread');
    };
    await cancel('r_1');
    await begin(store, 'r_4', inThread);
    await cancel('r_2');
  },

  'refuses to cancel a run that has new entries, has ended or does not exist': async (store) => {
    const { lease } = await begin(store, 'r_1', inThread);
    await store.append(lease, nodeEntry(2), 0);
    const before = [await store.read('r_1'), await store.journal('r_1'), await store.readThread('t_1')];
    await checkRefused(() => store.cancel('r_1', { now, seen }), 'RUN_FENCED');
    checkSame([await store.read('r_1'), await store.journal('r_1'), await store.readThread('t_1')], before, 'run, journal and thread');
    await store.append(lease, nodeEntry(3), 0); // the driver still holds the lease
    await store.settle(lease, { status: 'done', activeMs: 0 });
    const error = await checkRefused(() => store.cancel('r_1', { now, seen: { seq: 3, events: 3 } }), 'RUN_ENDED');
    checkSame(error.data?.status, 'done', 'the status in RUN_ENDED');
    await checkRefused(() => store.cancel('r_unknown', { now }), 'RUN_UNKNOWN');
  },

  'cancels a run without an event if the caller has not read the journal': async (store) => {
    const { lease } = await begin(store, 'r_1');
    await store.append(lease, nodeEntry(2), 0);
    const { entry } = await store.cancel('r_1', { now });
    checkSame([entry.seq, entry.events], [3, []], 'number and events of the entry');
  },

  'counts no crash when a run is acquired by force': async (store) => {
    await begin(store, 'r_1');
    for (const owner of ['o_2', 'o_3', 'o_4', 'o_5']) {
      const { record } = await store.acquire('r_1', { ...requestBy(owner), force: true });
      checkSame(record.crashes, 0, 'crashes');
    }
    const { record } = await takeOver(store, 'r_1', 'o_6', startMs + leaseMs);
    check(record.crashes === 1, 'an expired lease counts as a crash');
  },
};
