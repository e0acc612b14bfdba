import type { RunStore, Settlement } from '../../core/ports/run-store.ts';
import { check, checkRefused, checkSame } from '../check.ts';
import type { Cases } from '../contract-case.ts';
import { begin, beginAndSettle, contentsOf, nodeEntry, requestBy, settleEntry, startEntry } from './example-run.ts';

const inThread = { threadId: 't_1' };
const ended: readonly Settlement['status'][] = ['done', 'failed', 'cancelled'];
const unended: readonly Settlement['status'][] = ['paused', 'waiting', 'in_doubt'];

/** Runs `work`, which must fail, and checks that it leaves no trace of the run `id` or anything else. */
async function checkLeavesNothing(store: RunStore, id: string, work: () => Promise<void>): Promise<void> {
  const before = [await store.list({}), await store.readThread('t_1')];
  await work();
  check((await store.read(id)) === undefined, 'a refused run is unknown');
  await checkRefused(() => store.journal(id), 'RUN_UNKNOWN');
  checkSame([await store.list({}), await store.readThread('t_1')], before, 'the list of runs and the thread');
}

/** Ownership of a thread, and its state. */
export const threadCases: Cases<RunStore> = {
  'returns undefined for an unknown thread': async (store) => {
    await begin(store, 'r_1', inThread);
    check((await store.readThread('t_2')) === undefined, 'an unknown thread reads as undefined');
  },

  'creates a thread with its first run': async (store) => {
    const { record, thread } = await begin(store, 'r_1', inThread);
    checkSame([record.threadId, record.threadRevision], ['t_1', 0], 'threadId and threadRevision of the run');
    const made = { id: 't_1', workflow: 'example', revision: 0, state: null, activeRun: 'r_1' };
    checkSame(thread, made, 'the thread that create returns');
    checkSame(await store.readThread('t_1'), made, 'the thread');
  },

  'creates no thread for a run without a threadId': async (store) => {
    const { lease } = await begin(store, 'r_1');
    await store.settle(lease, { status: 'done', activeMs: 0 });
    for (const id of ['r_1', 'undefined', 'null', '']) check((await store.readThread(id)) === undefined, `there is no thread "${id}"`);
  },

  'refuses a run while another run owns its thread and writes nothing': async (store) => {
    const { lease } = await begin(store, 'r_1', inThread);
    const refuse = (): Promise<void> =>
      checkLeavesNothing(store, 'r_2', async () => {
        const error = await checkRefused(() => begin(store, 'r_2', inThread), 'THREAD_BUSY');
        checkSame(error.data?.runId, 'r_1', 'the owner in THREAD_BUSY');
        check(error.retryable, 'THREAD_BUSY is retryable');
      });
    await refuse();
    let current = lease;
    for (const status of unended) {
      await store.settle(current, { status, activeMs: 0 });
      await refuse();
      current = (await store.acquire('r_1', requestBy('o_1'))).lease;
    }
  },

  'accepts a run that was refused before': async (store) => {
    const { lease } = await begin(store, 'r_1', inThread);
    await checkRefused(() => begin(store, 'r_2', inThread), 'THREAD_BUSY');
    await store.settle(lease, { status: 'done', activeMs: 0 });
    const { record } = await begin(store, 'r_2', inThread);
    checkSame([record.status, record.seq, record.epoch], ['running', 1, 1], 'status, seq and epoch');
    checkSame(await store.journal('r_2'), [startEntry()], 'the journal');
  },

  'keeps a long list in a state when items are added, changed and removed': async (store) => {
    const item = (n: number): { readonly id: number; readonly text: string } => ({
      id: n,
      text: `${n} \u0000 \ud800 ${'word '.repeat(40)}`,
    });
    let log = Array.from({ length: 300 }, (_, n) => item(n));
    for (let turn = 1; turn <= 12; turn++) {
      log = [...log.slice(turn % 3 === 0 ? 70 : 0), ...Array.from({ length: 25 }, (_, n) => item(1_000 * turn + n))];
      if (turn % 5 === 0) log = log.map((each, index) => (index === 100 ? item(-turn) : each));
      const { thread } = await begin(store, `r_${turn}`, inThread);
      const state = { log, turn };
      await store.settle({ runId: `r_${turn}`, epoch: 1 }, { status: 'done', activeMs: 0, threadState: state });
      checkSame(thread?.revision, turn - 1, 'the revision when the run began');
      checkSame((await store.readThread('t_1'))?.state, state, 'the state of the thread');
    }
  },

  'frees a thread when its run ends': async (store) => {
    for (const status of ended) {
      await beginAndSettle(store, `r_${status}`, { status }, inThread);
      const thread = await store.readThread('t_1');
      check(thread !== undefined && thread.activeRun === undefined, `the thread of a run that is ${status} has no owner`);
      const next = await begin(store, `r_after_${status}`, inThread);
      checkSame(next.thread?.activeRun, `r_after_${status}`, 'the new owner');
      await store.settle(next.lease, { status: 'done', activeMs: 0 });
    }
  },

  'reserves a thread for its run until the run ends': async (store) => {
    for (const status of unended) {
      const threadId = `t_${status}`;
      await beginAndSettle(store, `r_${status}`, { status }, { threadId });
      checkSame((await store.readThread(threadId))?.activeRun, `r_${status}`, `the owner of the thread while its run is ${status}`);
      const { thread } = await store.acquire(`r_${status}`, requestBy('o_2'));
      checkSame(thread?.activeRun, `r_${status}`, 'the owner of the thread after the run resumes');
    }
  },

  'refuses a thread of another workflow and writes nothing': async (store) => {
    const { lease } = await begin(store, 'r_1', inThread);
    const refuse = (ifBusy: 'reject' | 'queue'): Promise<void> =>
      checkLeavesNothing(store, 'r_2', async () => {
        await checkRefused(() => begin(store, 'r_2', { ...inThread, workflow: 'another', ifBusy }), 'THREAD_OF_OTHER_WORKFLOW');
      });
    await refuse('queue');
    await store.settle(lease, { status: 'done', activeMs: 0 });
    await refuse('queue');
    await refuse('reject');
  },

  'keeps threads separate': async (store) => {
    await begin(store, 'r_1', inThread);
    const { record, lease } = await begin(store, 'r_2', { threadId: 't_2', workflow: 'another' });
    checkSame(record.status, 'running', 'the status of the run in the other thread');
    await store.settle(lease, { status: 'done', activeMs: 0, threadState: 'two' });
    const untouched = { id: 't_1', workflow: 'example', revision: 0, state: null, activeRun: 'r_1' };
    checkSame(await store.readThread('t_1'), untouched, 'the first thread');
    checkSame(await store.readThread('t_2'), { id: 't_2', workflow: 'another', revision: 1, state: 'two' }, 'the second thread');
  },

  'changes state and revision of a thread only with threadState': async (store) => {
    const revisionAndState = async (): Promise<unknown> => {
      const thread = await store.readThread('t_1');
      return [thread?.revision, thread?.state];
    };
    await beginAndSettle(store, 'r_1', { status: 'done' }, inThread);
    checkSame(await revisionAndState(), [0, null], 'revision and state after a run without threadState');
    await beginAndSettle(store, 'r_2', { status: 'done', threadState: { turns: 1 } }, inThread);
    checkSame(await revisionAndState(), [1, { turns: 1 }], 'revision and state after a run with threadState');
    await beginAndSettle(store, 'r_3', { status: 'failed' }, inThread);
    checkSame(await revisionAndState(), [1, { turns: 1 }], 'revision and state after a failed run');
    await beginAndSettle(store, 'r_4', { status: 'done', threadState: { turns: 1 } }, inThread);
    checkSame(await revisionAndState(), [2, { turns: 1 }], 'revision and state after an equal state');
  },

  'accepts null and other empty values as the state of a thread': async (store) => {
    let revision = 0;
    for (const threadState of ['full', null, 'full', '', 'full', 0, 'full', false]) {
      await beginAndSettle(store, `r_${revision}`, { status: 'done', threadState }, inThread);
      revision++;
      checkSame(await store.readThread('t_1'), { id: 't_1', workflow: 'example', revision, state: threadState }, 'the thread');
    }
  },

  'hands the state of the last run to a new run': async (store) => {
    await beginAndSettle(store, 'r_1', { status: 'done', threadState: ['one'] }, inThread);
    const { record, thread } = await begin(store, 'r_2', inThread);
    checkSame([thread?.revision, thread?.state, record.threadRevision], [1, ['one'], 1], 'revision, state and threadRevision');
  },

  'hands the thread to a failed run again': async (store) => {
    await beginAndSettle(store, 'r_1', { status: 'failed' }, inThread);
    const { record, thread } = await store.acquire('r_1', requestBy('o_2'));
    checkSame([record.status, thread?.activeRun], ['running', 'r_1'], 'status and owner of the thread');
    checkSame((await store.readThread('t_1'))?.activeRun, 'r_1', 'the owner of the thread');
    await checkRefused(() => begin(store, 'r_2', inThread), 'THREAD_BUSY');
  },

  'refuses a failed run while another run owns its thread': async (store) => {
    await beginAndSettle(store, 'r_1', { status: 'failed' }, inThread);
    await begin(store, 'r_2', inThread);
    const before = await contentsOf(store, 'r_1');
    for (const force of [false, true]) {
      const error = await checkRefused(() => store.acquire('r_1', { ...requestBy('o_1'), force }), 'THREAD_BUSY');
      checkSame(error.data?.runId, 'r_2', 'the owner in THREAD_BUSY');
    }
    checkSame(await contentsOf(store, 'r_1'), before, 'the failed run');
  },

  'refuses a failed run after its thread has changed': async (store) => {
    await beginAndSettle(store, 'r_1', { status: 'failed' }, inThread);
    await beginAndSettle(store, 'r_2', { status: 'done', threadState: 'new' }, inThread);
    const before = await contentsOf(store, 'r_1');
    for (const force of [false, true]) await checkRefused(() => store.acquire('r_1', { ...requestBy('o_1'), force }), 'THREAD_MOVED_ON');
    checkSame(await contentsOf(store, 'r_1'), before, 'the failed run');
    checkSame((await begin(store, 'r_3', inThread)).record.status, 'running', 'the status of the next run');
  },

  'hands the thread to a failed run if other runs have not changed it': async (store) => {
    await beginAndSettle(store, 'r_1', { status: 'failed' }, inThread);
    await beginAndSettle(store, 'r_2', { status: 'done' }, inThread);
    checkSame((await store.acquire('r_1', requestBy('o_1'))).thread?.activeRun, 'r_1', 'the owner of the thread');
  },

  'records the revision of the thread with which a run resumes': async (store) => {
    await beginAndSettle(store, 'r_1', { status: 'waiting', threadState: 'its own' }, inThread);
    const { lease, record, thread } = await store.acquire('r_1', requestBy('o_1'));
    checkSame([record.threadRevision, thread?.revision, thread?.state], [1, 1, 'its own'], 'threadRevision, revision and state');
    await store.settle(lease, { status: 'failed', activeMs: 0 });
    checkSame((await store.read('r_1'))?.threadRevision, 1, 'threadRevision of the failed run');
    checkSame((await store.acquire('r_1', requestBy('o_1'))).record.status, 'running', 'the status after the thread has stayed unchanged');
  },

  'leaves a thread unchanged when it refuses a settlement': async (store) => {
    const old = await begin(store, 'r_1', inThread);
    await store.acquire('r_1', { ...requestBy('o_2'), force: true });
    const before = await store.readThread('t_1');
    const settlement: Settlement = { status: 'done', activeMs: 0, threadState: 'of a stranger', entry: settleEntry(2) };
    await checkRefused(() => store.settle(old.lease, settlement), 'RUN_FENCED');
    checkSame(await store.readThread('t_1'), before, 'the thread');
  },

  'keeps the title of a thread across runs until it is cleared': async (store) => {
    const title = async (): Promise<string | undefined> => (await store.readThread('t_1'))?.title;
    const { lease } = await begin(store, 'r_1', inThread);
    checkSame(await title(), undefined, 'the title of a new thread');
    const odd = "휴가 'n' \u0000 \ud800 %_";
    await store.nameThread('t_1', odd);
    checkSame(await title(), odd, 'the title while the run is driven');
    await store.append(lease, nodeEntry(2), 0);
    await store.settle(lease, { status: 'done', activeMs: 0, threadState: 'said', entry: settleEntry(3) });
    await beginAndSettle(store, 'r_2', { status: 'waiting' }, inThread);
    const thread = { id: 't_1', workflow: 'example', revision: 1, state: 'said', activeRun: 'r_2' };
    checkSame(await store.readThread('t_1'), { ...thread, title: odd }, 'the thread after another run');
    await store.nameThread('t_1', 'other');
    checkSame(await title(), 'other', 'the new title');
    await store.nameThread('t_1', undefined);
    checkSame(await store.readThread('t_1'), thread, 'the thread without a title');
    await store.nameThread('t_1', 'last');
    await beginAndSettle(store, 'r_0', { status: 'done' }, { threadId: 't_2' });
    checkSame([...(await store.threadTitles(['t_2', 't_1', 't_9']))], [['t_1', 'last']], 'the titles of several threads');
    checkSame([...(await store.threadTitles([]))], [], 'the titles of no threads');
    await checkRefused(() => store.nameThread('t_9', 'x'), 'THREAD_UNKNOWN');
    await store.settle((await store.acquire('r_2', requestBy('o_1'))).lease, { status: 'cancelled', activeMs: 0 });
    await store.remove({ threadId: 't_1' });
    await checkRefused(() => store.nameThread('t_1', 'x'), 'THREAD_UNKNOWN');
    await begin(store, 'r_3', inThread);
    checkSame(await title(), undefined, 'the title of a new thread with the same id');
  },

  'does not affect a driven run when its thread gets a title': async (store) => {
    const { lease } = await begin(store, 'r_1', inThread);
    const before = await store.read('r_1');
    await store.nameThread('t_1', 'x');
    checkSame(await store.read('r_1'), before, 'the run');
    checkSame(await store.lost([lease]), [], 'the lost leases');
    await store.renew(lease, requestBy('o_1'));
    await store.append(lease, nodeEntry(2), 0);
    checkSame((await store.journal('r_1')).length, 2, 'the journal');
  },

  'lets one of many concurrent runs acquire a thread': async (store) => {
    const ids = Array.from({ length: 8 }, (_, index) => `r_${index}`);
    const outcomes = await Promise.allSettled(ids.map((id) => begin(store, id, inThread)));
    const winners = ids.filter((_, index) => outcomes[index]?.status === 'fulfilled');
    checkSame(winners.length, 1, 'the number of winners');
    checkSame((await store.readThread('t_1'))?.activeRun, winners[0], 'the owner of the thread');
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') await checkRefused(() => Promise.reject(outcome.reason), 'THREAD_BUSY');
    }
    checkSame((await store.list({})).length, 1, 'the number of runs');
  },
};
