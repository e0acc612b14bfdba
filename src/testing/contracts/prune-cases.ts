import type { RunStore, Settlement } from '../../core/ports/run-store.ts';
import { pruneRuns } from '../../stores/upkeep/prune-runs.ts';
import { checkRefused, checkSame } from '../check.ts';
import type { Cases } from '../contract-case.ts';
import { begin, contentsOf, idsOf, nodeEntry, requestBy, settleEntry, startMs } from './example-run.ts';
import { withStorage } from './with-storage.ts';

const day = 86_400_000;

/** Creates a run that settles with this status at the end of day `daysAfter`; the first day is 0. */
async function createSettled(
  store: RunStore,
  id: string,
  daysAfter: number,
  status: Settlement['status'],
  threadId?: string,
): Promise<void> {
  const { lease } = await begin(store, id, threadId === undefined ? {} : { threadId });
  await store.append(lease, nodeEntry(2), 1);
  const entry = { ...settleEntry(3), at: startMs + daysAfter * day };
  await store.settle(lease, { entry, status, activeMs: 2, ...(status === 'done' && threadId ? { threadState: { said: id } } : {}) });
}

const after = (days: number): { readonly now: number } => ({ now: startMs + days * day });

/** Removal of old runs. */
export const pruneCases: Cases<RunStore> = withStorage({
  'prunes old ended runs and keeps suspended, driven and new ones': async (store) => {
    for (const status of ['done', 'failed', 'cancelled', 'waiting', 'paused', 'in_doubt'] as const)
      await createSettled(store, `r_${status}`, 0, status);
    await createSettled(store, 'r_new', 5, 'done');
    await begin(store, 'r_driven');
    const others = [await contentsOf(store, 'r_waiting'), await contentsOf(store, 'r_new'), await contentsOf(store, 'r_driven')];
    const options = { olderThanMs: 2 * day, ...after(5) };
    const dry = await pruneRuns(store, { ...options, dryRun: true });
    checkSame([dry.runs, (await idsOf(store)).length], [3, 8], 'the number of runs to remove and of all runs');
    const pruned = await pruneRuns(store, options);
    checkSame(pruned, dry, 'what went');
    checkSame(await idsOf(store), ['r_driven', 'r_new', 'r_in_doubt', 'r_paused', 'r_waiting'], 'the list');
    checkSame(
      [await contentsOf(store, 'r_waiting'), await contentsOf(store, 'r_new'), await contentsOf(store, 'r_driven')],
      others,
      'the others',
    );
    await checkRefused(() => store.journal('r_done'), 'RUN_UNKNOWN');
    checkSame(await pruneRuns(store, options), { runs: 0, threads: 0, places: [] }, 'the report of the second call');
  },

  'prunes runs with the given statuses and keeps the newest': async (store) => {
    for (const id of ['r_1', 'r_2', 'r_3']) await createSettled(store, id, 0, id === 'r_2' ? 'failed' : 'done');
    await pruneRuns(store, { olderThanMs: 0, statuses: ['failed'], ...after(0) });
    checkSame(await idsOf(store), ['r_3', 'r_1'], 'the list');
    await pruneRuns(store, { olderThanMs: 0, keep: 1, ...after(0) });
    checkSame(await idsOf(store), ['r_3'], 'the list');
  },

  'prunes runs of a thread and keeps its state, title and newest run': async (store) => {
    for (const id of ['r_1', 'r_2', 'r_3']) await createSettled(store, id, 0, 'done', 't_1');
    await createSettled(store, 'r_4', 0, 'waiting', 't_2');
    await store.nameThread('t_1', 'a name');
    const thread = await store.readThread('t_1');
    checkSame((await pruneRuns(store, { olderThanMs: day, ...after(3) })).runs, 2, 'the number of runs');
    checkSame([await idsOf(store), await store.readThread('t_1')], [['r_4', 'r_3'], thread], 'the remaining runs and thread');
    const next = await begin(store, 'r_5', { threadId: 't_1' });
    checkSame([next.thread?.state, next.thread?.revision], [{ said: 'r_3' }, 3], 'the state of the thread');
    await store.settle(next.lease, { status: 'cancelled', activeMs: 0 });
    checkSame(await store.remove({ threadId: 't_1' }), 2, 'the number of runs of the thread');
  },

  'prunes a whole thread only if all of its runs are old and ended': async (store) => {
    await createSettled(store, 'r_1', 0, 'done', 't_1');
    await createSettled(store, 'r_2', 0, 'failed', 't_1');
    await createSettled(store, 'r_3', 0, 'done', 't_2');
    await createSettled(store, 'r_4', 3, 'done', 't_2');
    await createSettled(store, 'r_5', 0, 'done', 't_3');
    await createSettled(store, 'r_6', 0, 'waiting', 't_3');
    const { runs, threads } = await pruneRuns(store, { olderThanMs: day, threads: true, ...after(3) });
    checkSame([runs, threads, await idsOf(store)], [4, 1, ['r_6', 'r_4']], 'the removed and the remaining runs');
    checkSame([await store.readThread('t_1'), (await store.readThread('t_2'))?.revision], [undefined, 2], 'the threads');
    checkSame((await store.tally()).threads, 2, 'the number of threads');
  },

  'prunes nothing if an option is invalid': async (store) => {
    await createSettled(store, 'r_1', 0, 'waiting');
    await checkRefused(() => pruneRuns(store, { olderThanMs: 0, statuses: ['waiting' as 'done'] }), 'OPTION_INVALID');
    await checkRefused(() => pruneRuns(store, { olderThanMs: -1 }), 'OPTION_INVALID');
    await checkRefused(() => pruneRuns(store, { olderThanMs: 0, keep: 0.5 }), 'OPTION_INVALID');
    checkSame(await idsOf(store), ['r_1'], 'the list');
  },

  'keeps a failed run that is resumed during pruning': async (store) => {
    const { storage } = store;
    if (!storage) return;
    await createSettled(store, 'r_1', 0, 'failed');
    await createSettled(store, 'r_2', 0, 'done');
    let isResumed = false;
    const remove: typeof storage.remove = async (places, decide) => {
      if (!isResumed) await store.acquire('r_1', requestBy('o_2'));
      isResumed = true;
      return storage.remove(places, decide);
    };
    const meanwhile = { ...store, storage: { ...storage, remove } };
    checkSame((await pruneRuns(meanwhile, { olderThanMs: 0, ...after(1) })).runs, 1, 'the number of runs');
    checkSame(await idsOf(store), ['r_1'], 'the list');
  },
});
