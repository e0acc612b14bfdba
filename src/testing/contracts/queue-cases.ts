import type { RunStore } from '../../core/ports/run-store.ts';
import { check, checkRefused, checkSame } from '../check.ts';
import type { Cases } from '../contract-case.ts';
import { begin, leaseMs, newRun, nodeEntry, requestBy, startEntry, startMs, takeOver } from './example-run.ts';

const inThread = { threadId: 't_1' };
const queuedInThread = { ...inThread, ifBusy: 'queue' } as const;

const enqueue = async (store: RunStore, id: string, owner: string): Promise<void> => {
  await store.create(newRun(id, queuedInThread), [startEntry()], requestBy(owner));
};

/** Order of queued runs when a thread becomes free. */
export const queueCases: Cases<RunStore> = {
  'keeps a queued run without a valid lease': async (store) => {
    await begin(store, 'r_1', inThread);
    const before = await store.readThread('t_1');
    const { lease, record } = await store.create(newRun('r_2', queuedInThread), [startEntry({ input: 2 })], requestBy('o_2'));
    checkSame([record.status, record.seq, record.epoch, record.threadId], ['queued', 1, 0, 't_1'], 'status, seq, epoch and threadId');
    check(record.threadRevision === undefined, 'a queued run has no threadRevision');
    checkSame(await store.read('r_2'), record, 'the record');
    checkSame(await store.journal('r_2'), [startEntry({ input: 2 })], 'the journal');
    checkSame(await store.readThread('t_1'), before, 'the thread');
    await checkRefused(() => store.append(lease, nodeEntry(2), 0), 'RUN_FENCED');
    await checkRefused(() => store.settle(lease, { status: 'done', activeMs: 0 }), 'RUN_FENCED');
    checkSame(await store.read('r_2'), record, 'the record after refused writes');
  },

  'does not queue a run whose thread is free': async (store) => {
    const { record, thread } = await begin(store, 'r_1', queuedInThread);
    checkSame([record.status, record.epoch, thread?.activeRun], ['running', 1, 'r_1'], 'status, epoch and owner of the thread');
  },

  'refuses a queued run until its thread is free': async (store) => {
    const { lease } = await begin(store, 'r_1', inThread);
    await enqueue(store, 'r_2', 'o_2');
    const before = [await store.read('r_2'), await store.journal('r_2')];
    const error = await checkRefused(() => store.acquire('r_2', requestBy('o_2')), 'THREAD_BUSY');
    checkSame(error.data?.runId, 'r_1', 'the owner in THREAD_BUSY');
    await store.settle(lease, { status: 'waiting', activeMs: 0, threadState: 'new' });
    await checkRefused(() => store.acquire('r_2', { ...requestBy('o_2'), force: true }), 'THREAD_BUSY');
    checkSame((await store.readThread('t_1'))?.activeRun, 'r_1', 'the owner of the thread');
    checkSame([await store.read('r_2'), await store.journal('r_2')], before, 'the queued run');
  },

  'hands the thread to a queued run as the last run left it': async (store) => {
    const { lease } = await begin(store, 'r_1', inThread);
    await enqueue(store, 'r_2', 'o_2');
    await store.settle(lease, { status: 'done', activeMs: 0, threadState: 'left behind' });
    const acquired = await store.acquire('r_2', requestBy('o_2', startMs + 5));
    checkSame(acquired.lease, { runId: 'r_2', epoch: 1 }, 'the lease');
    const { status, crashes, threadRevision } = acquired.record;
    checkSame([status, crashes, threadRevision], ['running', 0, 1], 'status, crashes and threadRevision');
    const thread = { id: 't_1', workflow: 'example', revision: 1, state: 'left behind', activeRun: 'r_2' };
    checkSame(acquired.thread, thread, 'the thread that acquire returns');
    checkSame([await store.readThread('t_1'), await store.read('r_2')], [thread, acquired.record], 'thread and record');
    await store.append(acquired.lease, nodeEntry(2), 0);
  },

  'hands a thread to its queued runs in the order of their creation': async (store) => {
    const { lease } = await begin(store, 'r_1', inThread);
    const names = ['r_9', 'r_5', 'r_7'];
    for (const [index, name] of names.entries()) await enqueue(store, name, `o_${index + 2}`);
    await store.settle(lease, { status: 'done', activeMs: 0 });
    for (const [index, name] of names.entries()) {
      for (const [place, later] of names.entries()) {
        if (place <= index) continue;
        const error = await checkRefused(() => store.acquire(later, requestBy(`o_${place + 2}`)), 'THREAD_BUSY');
        checkSame(error.data?.runId, name, 'the first queued run in THREAD_BUSY');
      }
      const next = await store.acquire(name, requestBy(`o_${index + 2}`));
      await store.settle(next.lease, { status: 'done', activeMs: 0 });
    }
  },

  'keeps the order of queued runs of the same owner': async (store) => {
    const { lease } = await begin(store, 'r_1', inThread);
    await enqueue(store, 'r_2', 'o_1');
    await enqueue(store, 'r_3', 'o_1');
    await store.settle(lease, { status: 'done', activeMs: 0 });
    const error = await checkRefused(() => store.acquire('r_3', requestBy('o_1')), 'THREAD_BUSY');
    checkSame(error.data?.runId, 'r_2', 'the first queued run in THREAD_BUSY');
    checkSame((await store.acquire('r_2', requestBy('o_1'))).thread?.activeRun, 'r_2', 'the owner of the thread');
  },

  'refuses a new run while the free thread has a queue': async (store) => {
    const { lease } = await begin(store, 'r_1', inThread);
    await enqueue(store, 'r_2', 'o_2');
    await store.settle(lease, { status: 'done', activeMs: 0 });
    const error = await checkRefused(() => begin(store, 'r_3', inThread), 'THREAD_BUSY');
    checkSame(error.data?.runId, 'r_2', 'the first queued run in THREAD_BUSY');
    const { record } = await begin(store, 'r_4', queuedInThread);
    checkSame(record.status, 'queued', 'the status of a run with ifBusy queue');
    checkSame((await store.acquire('r_2', requestBy('o_2'))).thread?.activeRun, 'r_2', 'the owner of the thread');
  },

  'keeps the place of a queued run while it is renewed': async (store) => {
    const { lease } = await begin(store, 'r_1', inThread);
    const queued = await store.create(newRun('r_2', queuedInThread), [startEntry()], requestBy('o_2'));
    await store.settle(lease, { status: 'done', activeMs: 0 });
    const { lease: last } = await store.create(newRun('r_3', queuedInThread), [startEntry()], requestBy('o_3'));
    const late = startMs + 3 * leaseMs;
    for (let nowMs = startMs; nowMs < late; nowMs += leaseMs / 3) {
      await store.renew(queued.lease, requestBy('o_2', nowMs));
      await checkRefused(() => store.acquire('r_3', requestBy('o_3', nowMs)), 'THREAD_BUSY');
    }
    const next = await store.acquire('r_2', requestBy('o_2', late));
    checkSame(next.thread?.activeRun, 'r_2', 'the owner of the thread');
    await checkRefused(() => store.renew(queued.lease, requestBy('o_2', late)), 'RUN_FENCED');
    await store.renew(last, requestBy('o_3', late));
  },

  'keeps the place of a queued run whose owner is gone': async (store) => {
    const { lease } = await begin(store, 'r_1', inThread);
    await enqueue(store, 'r_2', 'o_2');
    await enqueue(store, 'r_3', 'o_3');
    await store.settle(lease, { status: 'done', activeMs: 0 });
    const late = startMs + 10 * leaseMs;
    const error = await checkRefused(() => store.acquire('r_3', requestBy('o_3', late)), 'THREAD_BUSY');
    checkSame(error.data?.runId, 'r_2', 'the first queued run in THREAD_BUSY');
    await checkRefused(() => begin(store, 'r_4', inThread), 'THREAD_BUSY');
    const next = await takeOver(store, 'r_2', 'o_4', late);
    checkSame(next.thread?.activeRun, 'r_2', 'the owner of the thread');
    await store.settle(next.lease, { status: 'done', activeMs: 0 });
    checkSame((await store.acquire('r_3', requestBy('o_3', late))).thread?.activeRun, 'r_3', 'the next owner of the thread');
  },

  'does not let the queue of one thread block another thread': async (store) => {
    await begin(store, 'r_1', inThread);
    await enqueue(store, 'r_2', 'o_2');
    const other = await begin(store, 'r_3', { threadId: 't_2' });
    await store.create(newRun('r_4', { threadId: 't_2', ifBusy: 'queue' }), [startEntry()], requestBy('o_3'));
    await store.settle(other.lease, { status: 'done', activeMs: 0 });
    const { thread } = await store.acquire('r_4', requestBy('o_3'));
    checkSame([thread?.id, thread?.activeRun], ['t_2', 'r_4'], 'the thread and its owner');
  },

  'refuses a queued run to a waiting caller if another owner has driven it': async (store) => {
    const { lease } = await begin(store, 'r_1', inThread);
    await enqueue(store, 'r_2', 'o_2');
    await store.settle(lease, { status: 'done', activeMs: 0 });
    const late = startMs + 10 * leaseMs;
    const waiting = { ...requestBy('o_2', late), seq: 1 };
    const other = await takeOver(store, 'r_2', 'o_3', late);
    await store.append(other.lease, nodeEntry(2), 0);
    await store.settle(other.lease, { status: 'waiting', activeMs: 0 });
    const before = [await store.read('r_2'), await store.readThread('t_1')];
    await checkRefused(() => store.acquire('r_2', waiting), 'RUN_FENCED');
    checkSame([await store.read('r_2'), await store.readThread('t_1')], before, 'the run and its thread');
    checkSame((await store.acquire('r_2', { ...waiting, seq: 2 })).lease.epoch, 2, 'the epoch for a caller that knows the whole journal');
  },

  'hands a queued run to its owner again if the first response was lost': async (store) => {
    const { lease } = await begin(store, 'r_1', inThread);
    await enqueue(store, 'r_2', 'o_2');
    await store.settle(lease, { status: 'done', activeMs: 0 });
    await store.acquire('r_2', { ...requestBy('o_2'), seq: 1 });
    checkSame((await store.acquire('r_2', { ...requestBy('o_2'), seq: 1 })).lease.epoch, 2, 'the epoch');
  },
};
