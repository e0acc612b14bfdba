import type { RunStore } from '../../core/ports/run-store.ts';
import { check, checkRefused, checkSame } from '../check.ts';
import type { Cases } from '../contract-case.ts';
import { atRest, begin, beginAndSettle, contentsOf, idsOf, newRun, nodeEntry, requestBy, startEntry } from './example-run.ts';

/** Removal of runs, without leftovers. */
export const removalCases: Cases<RunStore> = {
  ...Object.fromEntries(
    atRest.map((status) => [
      `removes a run that is ${status} and keeps other runs`,
      async (store: RunStore) => {
        await beginAndSettle(store, 'r_1', { status });
        const { lease } = await begin(store, 'r_2');
        const other = await contentsOf(store, 'r_2');
        checkSame(await store.remove({ runId: 'r_1' }), 1, 'the number of runs');
        check((await store.read('r_1')) === undefined, 'a removed run is unknown');
        await checkRefused(() => store.journal('r_1'), 'RUN_UNKNOWN');
        await checkRefused(() => store.acquire('r_1', requestBy('o_1')), 'RUN_UNKNOWN');
        await checkRefused(() => store.remove({ runId: 'r_1' }), 'RUN_UNKNOWN');
        checkSame(await idsOf(store), ['r_2'], 'the list');
        checkSame(await contentsOf(store, 'r_2'), other, 'the other run');
        await store.append(lease, nodeEntry(2), 0);
        checkSame((await store.journal('r_2')).length, 2, "the length of the other run's journal");
      },
    ]),
  ),

  'creates a run with the id of a removed run': async (store) => {
    const { lease } = await begin(store, 'r_1');
    await store.append(lease, nodeEntry(2), 0);
    await store.settle(lease, { status: 'done', activeMs: 0 });
    await store.remove({ runId: 'r_1' });
    await begin(store, 'r_1');
    checkSame((await store.journal('r_1')).length, 1, 'the journal');
  },

  'removes a thread with all its runs and keeps other threads': async (store) => {
    await beginAndSettle(store, 'r_1', { status: 'done', threadState: { said: 'one' } }, { threadId: 't_1' });
    await beginAndSettle(store, 'r_2', { status: 'done', threadState: { said: 'two' } }, { threadId: 't_2' });
    await beginAndSettle(store, 'r_3', { status: 'waiting' }, { threadId: 't_1' });
    const other = await contentsOf(store, 'r_2');
    checkSame(await store.remove({ threadId: 't_1' }), 2, 'the number of runs');
    check((await store.readThread('t_1')) === undefined, 'a removed thread is unknown');
    checkSame(await idsOf(store), ['r_2'], 'the list');
    checkSame(await contentsOf(store, 'r_2'), other, 'the other thread');
    await checkRefused(() => store.remove({ threadId: 't_1' }), 'THREAD_UNKNOWN');
    const { thread } = await begin(store, 'r_4', { threadId: 't_1', workflow: 'another' });
    checkSame([thread?.revision, thread?.state], [0, null], 'the new thread with the same id');
  },

  'refuses to remove a driven or queued run, or its thread': async (store) => {
    await begin(store, 'r_1', { threadId: 't_1' });
    await store.create(newRun('r_2', { threadId: 't_1', ifBusy: 'queue' }), [startEntry()], requestBy('o_2'));
    await begin(store, 'r_3');
    const before = [await contentsOf(store, 'r_1'), await contentsOf(store, 'r_2'), await contentsOf(store, 'r_3')];
    await checkRefused(() => store.remove({ threadId: 't_1' }), 'RUN_BUSY');
    for (const runId of ['r_1', 'r_2', 'r_3']) await checkRefused(() => store.remove({ runId }), 'RUN_BUSY');
    checkSame([await contentsOf(store, 'r_1'), await contentsOf(store, 'r_2'), await contentsOf(store, 'r_3')], before, 'the runs');
  },

  'refuses to remove a single run of a thread': async (store) => {
    await beginAndSettle(store, 'r_1', { status: 'done', threadState: { said: 'one' } }, { threadId: 't_1' });
    const before = await contentsOf(store, 'r_1');
    await checkRefused(() => store.remove({ runId: 'r_1' }), 'RUN_IN_THREAD');
    checkSame(await contentsOf(store, 'r_1'), before, 'the run');
  },

  'refuses to remove an unknown run or thread': async (store) => {
    await checkRefused(() => store.remove({ runId: 'r_9' }), 'RUN_UNKNOWN');
    await checkRefused(() => store.remove({ threadId: 't_9' }), 'THREAD_UNKNOWN');
  },
};
