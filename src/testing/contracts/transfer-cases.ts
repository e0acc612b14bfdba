import type { RunStore, Settlement } from '../../core/ports/run-store.ts';
import { memoryStore } from '../../engine/store/memory-store.ts';
import { exportRun } from '../../stores/upkeep/export-run.ts';
import { importRun } from '../../stores/upkeep/import-run.ts';
import { check, checkRefused, checkSame } from '../check.ts';
import type { Cases } from '../contract-case.ts';
import { atRest, begin, beginAndSettle, contentsOf, idsOf, newRun, nodeEntry, requestBy, settleEntry, startEntry } from './example-run.ts';
import { withStorage } from './with-storage.ts';

async function createWithTurns(store: RunStore, status: Settlement['status']): Promise<void> {
  await beginAndSettle(store, 'r_0', { status: 'done', threadState: { said: 'one \ud800 \u0000' } }, { threadId: 't_1' });
  const { lease } = await begin(store, 'r_1', { threadId: 't_1' });
  await store.append(lease, nodeEntry(2, { key: 'odd \u0000 "key"\ud800' }), 5);
  const output = 'a text that is long enough to be kept by the place where it was said first';
  await store.append(lease, nodeEntry(3, { outcome: { output: { text: output } } }), 6.5);
  const entry = settleEntry(4, { status, output });
  const more = status === 'done' ? { threadState: { said: 'two' }, failure: 'NO_EDGE' } : { wakeAt: 5_000.5 };
  await store.settle(lease, { entry, status, activeMs: 7.25, ...more });
  await store.nameThread('t_1', 'a name \u0000');
}

/** Moves a run from one store to another, and compares the two exports. */
async function transfer(from: RunStore, to: RunStore, runId: string): Promise<void> {
  const document = await exportRun(from, runId, { snapshot: true });
  const { isNew } = await importRun(to, JSON.stringify(document));
  check(isNew, 'isNew is true');
  const { snapshot: _, checksum: __, ...told } = await exportRun(to, runId);
  const { snapshot: ___, checksum: ____, ...given } = document;
  checkSame(told, given, 'the exported document');
}

type Ways = readonly (readonly [string, (store: RunStore) => { readonly from: RunStore; readonly to: RunStore }])[];

const ways: Ways = [
  ['into', (store) => ({ from: memoryStore(), to: store })],
  ['out of', (store) => ({ from: store, to: memoryStore() })],
];

/** Export and import of runs as documents. */
export const transferCases: Cases<RunStore> = withStorage({
  ...Object.fromEntries(
    ways.flatMap(([way, of]) =>
      atRest.map((status) => [
        `moves a run that is ${status} ${way} the store, with its thread`,
        async (store: RunStore) => {
          const { from, to } = of(store);
          await createWithTurns(from, status);
          await transfer(from, to, 'r_1');
        },
      ]),
    ),
  ),

  'lets any owner acquire an imported run that was driven': async (store) => {
    const from = memoryStore();
    const { lease } = await begin(from, 'r_1', { threadId: 't_1' });
    await from.append(lease, nodeEntry(2), 1);
    await transfer(from, store, 'r_1');
    const taken = await store.acquire('r_1', requestBy('o_2'));
    checkSame([taken.record.status, taken.lease.epoch, taken.thread?.activeRun], ['running', 2, 'r_1'], 'the acquired run');
    await store.append(taken.lease, nodeEntry(3, { epoch: 2 }), 2);
    await store.settle(taken.lease, { status: 'done', activeMs: 3, threadState: { said: 'three' } });
    checkSame((await store.journal('r_1')).length, 3, 'the number of entries');
    checkSame((await store.readThread('t_1'))?.state, { said: 'three' }, "the thread's state");
  },

  'hands the thread to an imported run that was queued': async (store) => {
    const from = memoryStore();
    await begin(from, 'r_1', { threadId: 't_1' });
    await from.create(newRun('r_2', { threadId: 't_1', ifBusy: 'queue' }), [startEntry()], requestBy('o_2'));
    await transfer(from, store, 'r_2');
    const { thread, record } = await store.acquire('r_2', requestBy('o_3'));
    checkSame([thread?.activeRun, thread?.revision, record.threadRevision], ['r_2', 0, 0], 'the thread');
  },

  'refuses to export a driven run except as a snapshot': async (store) => {
    const { lease } = await begin(store, 'r_1');
    await checkRefused(() => exportRun(store, 'r_1'), 'RUN_BUSY');
    const document = await exportRun(store, 'r_1', { snapshot: true });
    await store.append(lease, nodeEntry(2), 0);
    checkSame([document.snapshot, document.record.seq, document.journal.length], [true, 1, 1], 'the snapshot');
    await checkRefused(() => importRun(store, document), 'RUN_EXISTS');
    await checkRefused(() => exportRun(store, 'r_9'), 'RUN_UNKNOWN');
  },

  'accepts a run that it already has and refuses another one with the same id': async (store) => {
    await createWithTurns(store, 'waiting');
    const document = await exportRun(store, 'r_1');
    const before = await contentsOf(store, 'r_1');
    checkSame((await importRun(store, document)).isNew, false, 'isNew of the same run');
    const other = memoryStore();
    await begin(other, 'r_1');
    const another = await exportRun(other, 'r_1', { snapshot: true });
    await checkRefused(() => importRun(store, another), 'RUN_EXISTS');
    checkSame(await contentsOf(store, 'r_1'), before, 'the run');
    const { lease } = await store.acquire('r_1', requestBy('o_2'));
    await store.settle(lease, { status: 'waiting', activeMs: 8 });
    await checkRefused(() => importRun(store, document), 'RUN_EXISTS');
  },

  "imports a run into a thread only if the thread equals the document's": async (store) => {
    const from = memoryStore();
    await createWithTurns(from, 'waiting');
    const [first, second] = [await exportRun(from, 'r_0'), await exportRun(from, 'r_1')];
    await importRun(store, first);
    checkSame((await store.readThread('t_1'))?.activeRun, undefined, 'the owner of the thread');
    await importRun(store, second);
    checkSame((await store.readThread('t_1'))?.activeRun, 'r_1', 'the owner of the thread');
    const { lease } = await from.acquire('r_1', requestBy('o_1'));
    await from.settle(lease, { status: 'done', activeMs: 8, threadState: { said: 'more' } });
    await beginAndSettle(from, 'r_2', { status: 'waiting' }, { threadId: 't_1' });
    const before = [await contentsOf(store, 'r_1'), await store.list({})];
    const later = await exportRun(from, 'r_2');
    await checkRefused(() => importRun(store, later), 'THREAD_MOVED_ON');
    checkSame([await contentsOf(store, 'r_1'), await store.list({})], before, 'the store');
  },

  'refuses to import into a thread that is busy or belongs to another workflow': async (store) => {
    const from = memoryStore();
    await beginAndSettle(from, 'r_1', { status: 'waiting' }, { threadId: 't_1' });
    await beginAndSettle(from, 'r_2', { status: 'waiting' }, { threadId: 't_2' });
    await begin(store, 'r_3', { threadId: 't_1' });
    await begin(store, 'r_4', { threadId: 't_2', workflow: 'another' });
    const [busy, other] = [await exportRun(from, 'r_1'), await exportRun(from, 'r_2')];
    await checkRefused(() => importRun(store, busy), 'THREAD_BUSY');
    await checkRefused(() => importRun(store, other), 'THREAD_OF_OTHER_WORKFLOW');
    checkSame(await idsOf(store), ['r_4', 'r_3'], 'the list');
  },

  'adds one run when two imports of it run at the same time': async (store) => {
    const from = memoryStore();
    await createWithTurns(from, 'paused');
    const document = await exportRun(from, 'r_1');
    const both = await Promise.all([importRun(store, document), importRun(store, document)]);
    checkSame(both.map(({ isNew }) => isNew).sort(), [false, true], 'isNew of both imports');
    checkSame((await store.list({})).length, 1, 'the number of runs');
  },
});
