import type { RunStore, Settlement } from '../../core/ports/run-store.ts';
import { check, checkRefused, checkSame } from '../check.ts';
import type { Cases } from '../contract-case.ts';
import {
  atRest,
  begin,
  beginAndSettle,
  contentsOf,
  newRun,
  nodeEntry,
  requestBy,
  settleEntry,
  startEntry,
  startMs,
} from './example-run.ts';

/** Writing to a run and reading it back. */
export const journalCases: Cases<RunStore> = {
  'returns undefined for an unknown run': async (store) => {
    check((await store.read('r_unknown')) === undefined, 'an unknown run reads as undefined');
  },

  'refuses the journal of an unknown run': async (store) => {
    await checkRefused(() => store.journal('r_unknown'), 'RUN_UNKNOWN');
  },

  'refuses to acquire an unknown run and does not create it': async (store) => {
    await checkRefused(() => store.acquire('r_unknown', { ...requestBy('o_1'), force: true }), 'RUN_UNKNOWN');
    check((await store.read('r_unknown')) === undefined, 'the run is still unknown');
  },

  'refuses writes to an unknown run and does not create it': async (store) => {
    const lease = { runId: 'r_unknown', epoch: 1 };
    await checkRefused(() => store.renew(lease, requestBy('o_1')), 'RUN_FENCED', 'RUN_UNKNOWN');
    await checkRefused(() => store.append(lease, nodeEntry(2), 0), 'RUN_FENCED', 'RUN_UNKNOWN');
    await checkRefused(() => store.settle(lease, { status: 'done', activeMs: 0 }), 'RUN_FENCED', 'RUN_UNKNOWN');
    check((await store.read('r_unknown')) === undefined, 'the run is still unknown');
  },

  'gives the creator of a run its first lease': async (store) => {
    const { lease, record, thread } = await begin(store, 'r_1');
    checkSame(lease, { runId: 'r_1', epoch: 1 }, 'the lease');
    check(thread === undefined, 'a run without a threadId has no thread');
    checkSame(
      record,
      {
        id: 'r_1',
        workflow: 'example',
        version: '1',
        structure: 'structure of example 1',
        status: 'running',
        seq: 1,
        epoch: 1,
        crashes: 0,
        activeMs: 0,
        startedAt: startMs,
        updatedAt: startMs,
      },
      'the record',
    );
  },

  'refuses an id that exists and keeps the existing run': async (store) => {
    const { lease } = await begin(store, 'r_1');
    await store.append(lease, nodeEntry(2), 7);
    const before = await contentsOf(store, 'r_1');
    const error = await checkRefused(() => store.create(newRun('r_1'), [startEntry()], requestBy('o_2')), 'RUN_EXISTS');
    check(!error.retryable, 'RUN_EXISTS is not retryable');
    checkSame(await contentsOf(store, 'r_1'), before, 'the run');
  },

  'reads the record that create returned': async (store) => {
    const { record } = await begin(store, 'r_1', { threadId: 't_1' });
    checkSame(await store.read('r_1'), record, 'the record');
  },

  'begins the journal with the start entry': async (store) => {
    const start = startEntry({ input: { question: 'why?' }, metadata: { by: 'me' } });
    await store.create(newRun('r_1'), [start], requestBy('o_1'));
    checkSame(await store.journal('r_1'), [start], 'the journal');
  },

  'begins the journal with all given entries and appends after them': async (store) => {
    const entries = [startEntry(), nodeEntry(2), nodeEntry(3, { kind: 'intent' }), nodeEntry(4, { kind: 'step' })] as const;
    const { lease, record } = await store.create(newRun('r_1'), entries, requestBy('o_1'));
    checkSame([record.seq, record.updatedAt], [4, startMs], 'seq and updatedAt');
    checkSame(await store.read('r_1'), record, 'the record');
    checkSame(await store.journal('r_1'), entries, 'the journal');
    await checkRefused(() => store.append(lease, nodeEntry(2), 0), 'RUN_FENCED');
    await store.append(lease, nodeEntry(5), 0);
    checkSame(await store.journal('r_1'), [...entries, nodeEntry(5)], 'the journal after one more entry');
  },

  'uses the time of the request as the start of a run': async (store) => {
    const { record } = await store.create(newRun('r_1'), [{ ...startEntry(), at: startMs - 5 }], requestBy('o_1', startMs + 7));
    checkSame(record.startedAt, startMs + 7, 'startedAt');
  },

  'keeps every entry unchanged, in the order of seq': async (store) => {
    const { lease } = await begin(store, 'r_1');
    const kinds = ['node', 'intent', 'step', 'retry', 'event', 'timer-start', 'timer', 'node', 'node', 'node', 'node'] as const;
    const entries = kinds.map((kind, index) => nodeEntry(index + 2, { kind, key: `state#${index}/step ${kind}`, outcome: [kind, index] }));
    for (const entry of entries) await store.append(lease, entry, 0);
    const last = settleEntry(entries.length + 2);
    await store.settle(lease, { status: 'done', activeMs: 0, entry: last });
    checkSame(await store.journal('r_1'), [startEntry(), ...entries, last], 'the journal');
  },

  'keeps the order of seq when the clock goes back': async (store) => {
    const { lease } = await begin(store, 'r_1');
    const entries = [nodeEntry(2, { at: startMs + 9_000 }), nodeEntry(3, { at: startMs - 9_000 }), nodeEntry(4, { at: startMs })];
    for (const entry of entries) await store.append(lease, entry, 0);
    checkSame(await store.journal('r_1'), [startEntry(), ...entries], 'the journal');
  },

  'keeps entries with zero, one and many events': async (store) => {
    const { lease } = await begin(store, 'r_1');
    const note = (seq: number) => ({ type: 'custom', name: 'note', data: null, seq, at: startMs }) as const;
    const entries = [[], [note(2)], Array.from({ length: 50 }, (_, index) => note(index + 3))].map((events, index) =>
      nodeEntry(index + 2, { events }),
    );
    for (const entry of entries) await store.append(lease, entry, 0);
    checkSame(await store.journal('r_1'), [startEntry(), ...entries], 'the journal');
  },

  'keeps the epoch of the lease that wrote each entry': async (store) => {
    const first = await begin(store, 'r_1');
    await store.append(first.lease, nodeEntry(2, { epoch: 1 }), 0);
    const second = await store.acquire('r_1', { ...requestBy('o_2'), force: true });
    await store.append(second.lease, nodeEntry(3, { epoch: 2 }), 0);
    const journal = await store.journal('r_1');
    checkSame(
      journal.map(({ epoch }) => epoch),
      [1, 1, 2],
      'the epochs of the entries',
    );
  },

  'counts the entries in the record': async (store) => {
    const { lease, record } = await begin(store, 'r_1');
    await store.append(lease, nodeEntry(2), 120);
    await store.append(lease, nodeEntry(3), 340);
    checkSame(await store.read('r_1'), { ...record, seq: 3, activeMs: 340, updatedAt: nodeEntry(3).at }, 'the record after two entries');
    await store.settle(lease, { status: 'done', activeMs: 500, entry: settleEntry(4) });
    const expected = { ...record, status: 'done', seq: 4, activeMs: 500, updatedAt: settleEntry(4).at };
    checkSame(await store.read('r_1'), expected, 'the record after its settlement');
  },

  'refuses an entry that leaves a gap and then accepts the next one': async (store) => {
    const { lease } = await begin(store, 'r_1');
    const before = await contentsOf(store, 'r_1');
    await checkRefused(() => store.append(lease, nodeEntry(3), 99), 'RUN_FENCED');
    checkSame(await contentsOf(store, 'r_1'), before, 'the run');
    await store.append(lease, nodeEntry(2), 0);
    checkSame(await store.journal('r_1'), [startEntry(), nodeEntry(2)], 'the journal');
  },

  'refuses an entry whose seq exists and keeps the first one': async (store) => {
    const { lease } = await begin(store, 'r_1');
    await store.append(lease, nodeEntry(2), 0);
    const before = await contentsOf(store, 'r_1');
    await checkRefused(() => store.append(lease, nodeEntry(2, { outcome: 'another' }), 99), 'RUN_FENCED');
    await checkRefused(() => store.append(lease, nodeEntry(1, { outcome: 'another' }), 99), 'RUN_FENCED');
    checkSame(await contentsOf(store, 'r_1'), before, 'the run');
  },

  'refuses a settlement whose entry is out of order and then accepts the next one': async (store) => {
    const { lease } = await begin(store, 'r_1', { threadId: 't_1' });
    const before = await contentsOf(store, 'r_1');
    for (const seq of [1, 3]) {
      const settlement: Settlement = { status: 'done', activeMs: 99, wakeAt: 5, threadState: 'new', entry: settleEntry(seq) };
      await checkRefused(() => store.settle(lease, settlement), 'RUN_FENCED');
      checkSame(await contentsOf(store, 'r_1'), before, 'the run');
    }
    await store.settle(lease, { status: 'done', activeMs: 0, entry: settleEntry(2) });
    checkSame((await store.read('r_1'))?.status, 'done', 'the status after the valid settlement');
  },

  ...Object.fromEntries(
    atRest.map((status) => [
      `settles a run as ${status}`,
      async (store: RunStore) => {
        const { lease, record } = await begin(store, 'r_1');
        const entry = settleEntry(2, { status });
        await store.settle(lease, { status, activeMs: 7, entry });
        checkSame(await store.read('r_1'), { ...record, status, seq: 2, activeMs: 7, updatedAt: entry.at }, 'the record');
        checkSame(await store.journal('r_1'), [startEntry(), entry], 'the journal');
      },
    ]),
  ),

  'settles a run without an entry': async (store) => {
    const { lease } = await begin(store, 'r_1');
    await store.append(lease, nodeEntry(2), 0);
    await store.settle(lease, { status: 'paused', activeMs: 9 });
    const record = await store.read('r_1');
    checkSame([record?.status, record?.seq, record?.activeMs], ['paused', 2, 9], 'status, seq and activeMs');
    checkSame(await store.journal('r_1'), [startEntry(), nodeEntry(2)], 'the journal');
  },

  'keeps wakeAt until the run is acquired': async (store) => {
    await beginAndSettle(store, 'r_1', { status: 'waiting', wakeAt: startMs + 5 });
    checkSame((await store.read('r_1'))?.wakeAt, startMs + 5, 'wakeAt of the waiting run');
    const { lease, record } = await store.acquire('r_1', requestBy('o_2'));
    check(record.wakeAt === undefined, 'the acquired record has no wakeAt');
    check((await store.read('r_1'))?.wakeAt === undefined, 'a driven run has no wakeAt');
    await store.settle(lease, { status: 'waiting', activeMs: 0 });
    check((await store.read('r_1'))?.wakeAt === undefined, 'the old wakeAt does not come back');
  },

  'keeps the priority of a run when it is suspended and acquired again': async (store) => {
    for (const [id, priority] of [['r_1', 100] as const, ['r_2', -100] as const, ['r_3', undefined] as const]) {
      const { lease } = await begin(store, id, priority === undefined ? {} : { priority });
      await store.append(lease, nodeEntry(2), 1);
      await store.settle(lease, { status: 'paused', activeMs: 1, wakeAt: startMs });
      const { record } = await store.acquire(id, requestBy('o_2'));
      checkSame([record.priority, (await store.read(id))?.priority], [priority, priority], `the priority of ${id}`);
    }
    checkSame(
      (await store.list({})).map(({ priority }) => priority),
      [undefined, -100, 100],
      'the priorities in the list',
    );
  },

  'keeps the failure of a run until it is acquired again': async (store) => {
    await beginAndSettle(store, 'r_1', { status: 'done', failure: 'MODEL_UNAVAILABLE' });
    checkSame([(await store.read('r_1'))?.failure, (await store.list({}))[0]?.failure], Array(2).fill('MODEL_UNAVAILABLE'), 'failure');
    await beginAndSettle(store, 'r_2', { status: 'failed', failure: 'UNKNOWN' });
    const { lease, record } = await store.acquire('r_2', requestBy('o_2'));
    check(record.failure === undefined, 'the acquired record has no failure');
    await store.settle(lease, { status: 'done', activeMs: 0 });
    check((await store.read('r_2'))?.failure === undefined, 'the old failure does not come back');
  },

  'keeps the journals of two runs separate': async (store) => {
    const one = await begin(store, 'r_1');
    const two = await begin(store, 'r_2');
    await store.append(one.lease, nodeEntry(2, { outcome: 'one' }), 1);
    await store.append(two.lease, nodeEntry(2, { outcome: 'two' }), 2);
    await store.append(two.lease, nodeEntry(3, { outcome: 'two again' }), 3);
    await store.append(one.lease, nodeEntry(3, { outcome: 'one again' }), 4);
    const outcomes = async (id: string): Promise<unknown> => (await store.journal(id)).slice(1).map(({ outcome }) => outcome);
    checkSame(await outcomes('r_1'), ['one', 'one again'], 'the outcomes of r_1');
    checkSame(await outcomes('r_2'), ['two', 'two again'], 'the outcomes of r_2');
    checkSame([(await store.read('r_1'))?.activeMs, (await store.read('r_2'))?.activeMs], [4, 3], 'activeMs of both runs');
  },

  'does not change returned values when it writes': async (store) => {
    const { lease, record } = await begin(store, 'r_1', { threadId: 't_1' });
    const returned = [record, await store.read('r_1'), await store.list({}), await store.journal('r_1'), await store.readThread('t_1')];
    const before = JSON.stringify(returned);
    await store.append(lease, nodeEntry(2), 10);
    await store.settle(lease, { status: 'done', activeMs: 20, threadState: 'new' });
    checkSame(JSON.stringify(returned), before, 'the returned values');
  },

  'returns undefined for an unknown structure': async (store) => {
    check((await store.readStructure('unknown')) === undefined, 'an unknown structure reads as undefined');
  },

  'keeps structures by their hash': async (store) => {
    await store.saveStructure('one', { states: { a: { on: ['b'] } } });
    await store.saveStructure('two', { states: {} });
    checkSame(await store.readStructure('one'), { states: { a: { on: ['b'] } } }, 'the first structure');
    checkSame(await store.readStructure('two'), { states: {} }, 'the second structure');
  },

  'saves the same structure twice': async (store) => {
    await store.saveStructure('one', { states: ['a'] });
    await store.saveStructure('one', { states: ['a'] });
    checkSame(await store.readStructure('one'), { states: ['a'] }, 'the structure');
  },
};
