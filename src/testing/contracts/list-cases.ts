import type { RunStore, StoreQuery } from '../../core/ports/run-store.ts';
import { checkSame } from '../check.ts';
import type { Cases } from '../contract-case.ts';
import { begin, beginAndSettle, idsOf, newRun, nodeEntry, requestBy, startEntry, startMs } from './example-run.ts';

/** Adds runs in two threads and two workflows, with every resting status; the newest is `r_6`. */
async function fill(store: RunStore): Promise<void> {
  await beginAndSettle(store, 'r_1', { status: 'done' }, { threadId: 't_1' });
  await beginAndSettle(store, 'r_2', { status: 'waiting', wakeAt: startMs + 20 }, { workflow: 'another' });
  await beginAndSettle(store, 'r_3', { status: 'waiting', wakeAt: startMs + 10 }, { threadId: 't_1' });
  await beginAndSettle(store, 'r_4', { status: 'failed' }, { threadId: 't_2', workflow: 'another' });
  await store.create(newRun('r_5', { threadId: 't_1', ifBusy: 'queue' }), [startEntry()], requestBy('o_2'));
  await begin(store, 'r_6');
}

const queries: readonly (readonly [name: string, query: StoreQuery, expected: readonly string[]])[] = [
  ['every run, newest first', {}, ['r_6', 'r_5', 'r_4', 'r_3', 'r_2', 'r_1']],
  ['the runs of one workflow', { workflow: 'another' }, ['r_4', 'r_2']],
  ['the runs of one thread', { threadId: 't_1' }, ['r_5', 'r_3', 'r_1']],
  ['the runs with one status', { status: 'waiting' }, ['r_3', 'r_2']],
  ['the queued runs', { status: 'queued' }, ['r_5']],
  ['the driven runs', { status: 'running' }, ['r_6']],
  ['the due runs, to the millisecond', { dueBefore: startMs + 10 }, ['r_3']],
  ['no run before it is due', { dueBefore: startMs + 9 }, []],
  ['every due run, newest first', { dueBefore: startMs + 20 }, ['r_3', 'r_2']],
  ['no run without wakeAt as due', { dueBefore: Number.MAX_SAFE_INTEGER }, ['r_3', 'r_2']],
  [
    'the runs that match all parts of a query',
    { workflow: 'example', threadId: 't_1', status: 'waiting', dueBefore: startMs + 99 },
    ['r_3'],
  ],
  ['the runs whose ids have a prefix', { idPrefix: 'r_3' }, ['r_3']],
  ['the runs with a prefix before another run', { idPrefix: 'r_', before: 'r_3' }, ['r_2', 'r_1']],
  ['nothing if no id has the prefix', { idPrefix: 'r_1_' }, []],
  ['nothing if the parts of a query match different runs', { workflow: 'another', threadId: 't_1' }, []],
  ['nothing for an unknown workflow', { workflow: 'unknown' }, []],
  ['nothing for an unknown thread', { threadId: 't_9' }, []],
  ['the newest runs up to a limit', { limit: 2 }, ['r_6', 'r_5']],
  ['the newest matching runs up to a limit', { workflow: 'example', limit: 3 }, ['r_6', 'r_5', 'r_3']],
  ['the runs before another run', { before: 'r_4' }, ['r_3', 'r_2', 'r_1']],
  ['the runs before a matching run, up to a limit', { workflow: 'example', before: 'r_5', limit: 1 }, ['r_3']],
  ['the runs before a run that does not match', { threadId: 't_1', before: 'r_4' }, ['r_3', 'r_1']],
  ['nothing before the first run', { before: 'r_1' }, []],
  ['nothing before an unknown run', { before: 'r_9' }, []],
  ['all runs if the limit exceeds their number', { limit: Number.MAX_SAFE_INTEGER }, ['r_6', 'r_5', 'r_4', 'r_3', 'r_2', 'r_1']],
];

/** Queries for runs. */
export const listCases: Cases<RunStore> = {
  'lists runs by the status of their result before it counts them, and counts them by it': async (store) => {
    await beginAndSettle(store, 'r_1', { status: 'done', failure: 'TOOL_FAILED' });
    await beginAndSettle(store, 'r_2', { status: 'failed', failure: 'LIMIT_EXCEEDED' });
    for (let turn = 3; turn <= 20; turn++) await beginAndSettle(store, `r_${turn}`, { status: 'done' });
    checkSame(await idsOf(store, { resultStatus: 'failed', limit: 1 }), ['r_2'], 'the newest failed run');
    checkSame(await idsOf(store, { resultStatus: 'failed', limit: 2 }), ['r_2', 'r_1'], 'the failed runs');
    checkSame(await idsOf(store, { resultStatus: 'done', before: 'r_4', limit: 5 }), ['r_3'], 'the runs that are done without a failure');
    checkSame(await idsOf(store, { resultStatus: 'waiting' }), [], 'the waiting runs');
    checkSame(await idsOf(store, { status: 'done', before: 'r_4' }), ['r_3', 'r_1'], 'the runs stored as done');
    const { runs } = await store.tally();
    const counts = runs.map(({ state, code = '-', count }) => `${state} ${code} ${count}`).sort();
    checkSame(counts, ['done - 18', 'failed LIMIT_EXCEEDED 1', 'failed TOOL_FAILED 1'], 'the counts');
  },

  'lists nothing if the store is empty': async (store) => {
    checkSame(await store.list({}), [], 'the list');
  },

  ...Object.fromEntries(
    queries.map(([name, query, expected]) => [
      `lists ${name}`,
      async (store: RunStore) => {
        await fill(store);
        checkSame(await idsOf(store, query), expected, 'the list');
      },
    ]),
  ),

  'lists the records that read returns': async (store) => {
    await fill(store);
    for (const record of await store.list({})) checkSame(record, await store.read(record.id), `the record of ${record.id}`);
  },

  'counts threads, and runs by workflow and status': async (store) => {
    const counts = async (): Promise<readonly string[]> => {
      const { threads, runs } = await store.tally();
      return [`threads ${threads}`, ...runs.map(({ workflow, state, count }) => `${workflow} ${state} ${count}`).sort()];
    };
    checkSame(await counts(), ['threads 0'], 'the counts in an empty store');
    await fill(store);
    const many = ['another failed 1', 'another waiting 1', 'example done 1', 'example queued 1', 'example running 1', 'example waiting 1'];
    checkSame(await counts(), ['threads 2', ...many], 'the counts');
    await store.remove({ threadId: 't_2' });
    checkSame(await counts(), ['threads 1', ...many.slice(1)], 'the counts after a thread was removed');
  },

  'lists in the order of creation regardless of clocks and later writes': async (store) => {
    const first = await store.create(newRun('r_z'), [startEntry()], requestBy('o_1', startMs + 9));
    await store.create(newRun('r_a'), [startEntry()], requestBy('o_1', startMs));
    await store.create(newRun('r_m'), [startEntry()], requestBy('o_1', startMs));
    await store.append(first.lease, nodeEntry(2, { at: startMs + 99 }), 0);
    checkSame(await idsOf(store, {}), ['r_m', 'r_a', 'r_z'], 'the list');
  },

  'does not list a run as due while it is driven': async (store) => {
    await fill(store);
    const { lease } = await store.acquire('r_3', requestBy('o_2'));
    checkSame(await idsOf(store, { dueBefore: startMs + 99 }), ['r_2'], 'the list while r_3 is driven');
    await store.settle(lease, { status: 'waiting', activeMs: 0, wakeAt: startMs + 50 });
    checkSame(await idsOf(store, { dueBefore: startMs + 49 }), ['r_2'], 'the list before the new time');
    checkSame(await idsOf(store, { dueBefore: startMs + 50 }), ['r_3', 'r_2'], 'the list at the new time');
  },

  'lists 100 runs by default': async (store) => {
    for (let number = 1; number <= 102; number++) await begin(store, `r_${number}`);
    const ids = await idsOf(store, {});
    checkSame([ids.length, ids.at(0), ids.at(-1)], [100, 'r_102', 'r_3'], 'length, first and last of the list');
  },

  'matches a query as text, not as a pattern': async (store) => {
    for (const threadId of ['a_b', 'axb', 'A_B']) await begin(store, `r_${threadId}`, { threadId });
    checkSame(await idsOf(store, { threadId: 'a_b' }), ['r_a_b'], 'the list of a thread with "_"');
    checkSame(await idsOf(store, { threadId: '%' }), [], 'the list of "%"');
    checkSame(await idsOf(store, { workflow: "' OR '1' = '1" }), [], 'the list of a quote');
  },
};
