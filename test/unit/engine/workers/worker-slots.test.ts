// How many runs a worker goes on with, of what, and in which order.
import { createRuntime, createWorker, memoryStore, type RunRecord, type WorkerConcurrency, type WorkerEvent } from 'agent-machines';
import { crashingStore, fakeClock } from 'agent-machines/testing';
import { describe, expect, it } from 'vitest';
import { WorkerSlots } from '../../../../src/engine/workers/worker-concurrency.ts';
import { failure, final, type LogHandler, logWorkflow, node } from '../../../fixtures/log-workflow.ts';

const record = (id: string, workflow: string, threadId?: string): RunRecord => ({
  ...{
    id,
    workflow,
    version: '1',
    structure: '',
    status: 'running',
    seq: 1,
    epoch: 1,
    crashes: 0,
    activeMs: 0,
    startedAt: 0,
    updatedAt: 0,
  },
  ...(threadId === undefined ? {} : { threadId }),
});
const dead = (...records: readonly RunRecord[]) => records.map((each) => ({ record: each, why: 'dead' as const }));
const many = (workflow: string, count: number, threadId?: string) =>
  Array.from({ length: count }, (_, index) => record(`${workflow}${index}`, workflow, threadId));

/** What is given out when all that is given out goes on, or none of `busy`. */
function givenBy(room: WorkerSlots, candidates: readonly RunRecord[], busy: readonly string[] = []): readonly string[] {
  const driven = new Set<string>();
  const given: string[] = [];
  for (const {
    record: { id },
  } of room.choose(dead(...candidates), (runId) => driven.has(runId))) {
    given.push(id);
    if (!busy.includes(id)) driven.add(id);
  }
  return given;
}

describe('WorkerSlots', () => {
  it.each<[string, WorkerConcurrency | number | undefined, readonly RunRecord[], readonly string[]]>([
    ['eight by default', undefined, many('a', 10), ['a0', 'a1', 'a2', 'a3', 'a4', 'a5', 'a6', 'a7']],
    ['up to the total limit', 2, many('a', 10), ['a0', 'a1']],
    ['workflows in turns', 4, [...many('a', 10), ...many('b', 3)], ['a0', 'b0', 'a1', 'b1']],
    ['up to the limit per workflow', { perWorkflow: 1 }, [...many('a', 5), ...many('b', 5)], ['a0', 'b0']],
    ['up to the limit of one workflow', { total: 4, perWorkflow: { a: 1 } }, [...many('a', 5), ...many('b', 5)], ['a0', 'b0', 'b1', 'b2']],
    [
      'up to the limits of workflows that are named like their entry points',
      { total: 9, perWorkflow: { 'a-b': 1, b_c: 2, 'b-c': 1 } },
      [...many('a_b', 5), ...many('b-c', 5), ...many('b_c', 5)],
      ['a_b0', 'b-c0', 'b_c0', 'b_c1'],
    ],
    [
      'one of each key',
      { key: ({ threadId }) => threadId },
      [...many('a', 3, 't1'), ...many('b', 3, 't1'), ...many('c', 2, 't2')],
      ['a0', 'c0'],
    ],
    [
      'two of each key',
      { key: ({ threadId }) => threadId, perKey: 2 },
      [...many('a', 3, 't1'), ...many('b', 3, 't1'), ...many('c', 2, 't2')],
      ['a0', 'b0', 'c0', 'c1'],
    ],
    ['all that have no key', { key: ({ threadId }) => threadId }, [...many('a', 3), ...many('b', 2, 't1')], ['a0', 'b0', 'a1', 'a2']],
  ])('picks %s', (_, concurrency, candidates, expected) => {
    expect([...givenBy(new WorkerSlots(concurrency), candidates)].sort()).toEqual([...expected].sort());
  });

  it('picks the highest priority first, and takes turns between workflows of equal priority', () => {
    const urgent = (workflow: string, priority: number) =>
      many(workflow, 2).map((each) => ({ ...each, id: `${each.id}/${priority}`, priority }));
    const candidates = [urgent('a', 0), urgent('b', -1), urgent('b', 7), urgent('c', 7)].flat();
    expect(givenBy(new WorkerSlots(6), candidates)).toEqual(['b0/7', 'c0/7', 'b1/7', 'c1/7', 'a0/0', 'a1/0']);
  });

  it('picks the runs of a thread in order, with the highest priority in the queue', () => {
    const given = (id: string, priority: number, threadId?: string) => ({ ...record(id, 'a', threadId), priority });
    const candidates = [given('a', 1), given('b', -9, 't'), given('c', -1, 't'), given('d', 7, 't'), given('e', 0, 't'), given('t', 2)];
    expect(givenBy(new WorkerSlots(9), candidates)).toEqual(['b', 'c', 'd', 't', 'a', 'e']);
  });

  it('gives the slot of a run that another worker drives to the next run', () => {
    expect(givenBy(new WorkerSlots(2, () => 0), many('a', 10), ['a0', 'a1', 'a2'])).toEqual(['a0', 'a1', 'a2', 'a3', 'a4']);
    const room = new WorkerSlots({ key: ({ threadId }) => threadId }, () => 0);
    expect(givenBy(room, many('a', 3, 't1'), ['a0'])).toEqual(['a0', 'a1']);
  });

  it('yields to a faster worker, and returns to the skipped runs', () => {
    const given = givenBy(new WorkerSlots(8, () => 0.5), many('a', 12), ['a0', 'a4']);
    expect(given.slice(0, 3)).toEqual(['a0', 'a5', 'a6']); // half of eight after one that was lost
    const all = givenBy(
      new WorkerSlots(99, () => 0.99),
      many('a', 12),
      many('a', 12).map(({ id }) => id),
    );
    expect(all.toSorted()).toEqual(
      many('a', 12)
        .map(({ id }) => id)
        .toSorted(),
    );
  });

  it('keeps the order of threads and priorities when it yields', () => {
    const urgent = many('a', 4).map((each) => ({ ...each, id: `u${each.id}`, priority: 1 }));
    const busy = [...urgent, ...many('a', 4, 't')].map(({ id }) => id);
    const given = givenBy(new WorkerSlots(99, () => 0.99), [...many('a', 4, 't'), ...urgent], busy);
    expect(given.slice(0, 4).toSorted()).toEqual(['ua0', 'ua1', 'ua2', 'ua3']);
    expect(given.slice(4)).toEqual(['a0', 'a1', 'a2', 'a3']);
  });

  it('frees a slot when its run rests', () => {
    const room = new WorkerSlots({ total: 2, perWorkflow: 1 });
    expect(givenBy(room, many('a', 3))).toEqual(['a0']);
    expect(givenBy(room, many('a', 3).slice(1))).toEqual([]);
    room.release('a0');
    expect(givenBy(room, many('a', 3).slice(1))).toEqual(['a1']);
  });

  it('starts with another workflow than the last one', () => {
    const room = new WorkerSlots(1);
    const order: string[] = [];
    for (const left of [many('a', 9), many('a', 9), many('a', 9), many('a', 9)]) {
      const [given = ''] = givenBy(room, [...left, ...many('b', 9)]);
      order.push(given);
      room.release(given);
    }
    expect(order).toEqual(['a0', 'b0', 'a0', 'b0']);
  });

  it('uses a separate number for each named workflow, even for names of object properties', () => {
    const room = new WorkerSlots({ total: 8, perWorkflow: { a: 1 } });
    const names = ['constructor', 'toString', '__proto__'];
    expect(givenBy(room, [...many('a', 2), ...names.flatMap((name) => many(name, 2))])).toHaveLength(7);
  });

  it('skips only the runs whose key throws', () => {
    const keyless: string[] = [];
    const key = ({ id }: RunRecord): string | undefined => {
      if (id === 'a1') throw new TypeError('no thread');
      return id === 'a2' || id === 'a3' ? (null as never) : id;
    };
    const room = new WorkerSlots({ total: 8, key }, Math.random, (runId) => keyless.push(runId));
    expect(givenBy(room, many('a', 5))).toEqual(['a0', 'a2', 'a3', 'a4']);
    expect(keyless).toEqual(['a1']);
    const [first, second] = many('a', 2);
    if (!first || !second) throw new Error('there are two');
    expect([room.fitsBeside?.(first, [second]), room.fitsBeside?.(second, [first])]).toEqual([true, false]);
  });

  it.each([
    [{ total: 0 }],
    [{ perWorkflow: 0 }],
    [{ perWorkflow: { a: 1, b: 1.5 } }],
    [{ perWorkflow: [2] as never }],
    [{ perKey: -1 }],
    [{ key: 'threadId' as never }],
    [{ perWorkflows: 1 } as never],
    ['2' as never],
    [0],
  ])('rejects %o', (concurrency) => {
    expect(() => createWorker({ store: memoryStore(), concurrency })).toThrow(expect.objectContaining({ code: 'OPTION_INVALID' }));
  });
});

describe('a worker with a limit of one run per thread and two per workflow', () => {
  it('stays within its limits, and completes all runs', async () => {
    const clock = fakeClock(1_000);
    const store = memoryStore();
    let atWork: string[] = [];
    const most = new Map<string, number>();
    const works: LogHandler = async ({ log }) => {
      const name = log[0] ?? '';
      atWork.push(name);
      most.set(name, Math.max(most.get(name) ?? 0, atWork.filter((each) => each === name).length));
      await new Promise<void>((resolve) => clock.schedule(500, resolve));
      atWork = atWork.filter((_, index) => index !== atWork.indexOf(name));
      return { log: ['worked'] };
    };
    const workflow = (id: string, a: LogHandler = works) =>
      logWorkflow({ id, states: { a: node('a', 'done'), done: final, failed: failure }, nodes: { a } });
    const workflows = [workflow('a'), workflow('b')];
    for (const each of workflows) {
      for (let index = 0; index < 6; index++) {
        const begun = workflow(each.id, async () => ({}));
        await createRuntime({ store: crashingStore(store, 1), clock }).start(begun, { log: [each.id] }).result; // dies before its node has ended
      }
    }
    await clock.advance(60_000);
    const rested: WorkerEvent[] = [];
    const worker = createWorker({
      store,
      clock,
      workflows,
      leaseMs: 100,
      concurrency: { total: 3, perWorkflow: 2 },
      onEvent: (event) => event.type === 'rested' && rested.push(event),
    });
    for (let tick = 0; tick < 500 && rested.length < 12; tick++) await clock.advance(100);
    await worker.close();
    expect(rested.map((event) => event.type === 'rested' && event.result.status)).toEqual(Array.from({ length: 12 }, () => 'done'));
    expect([...most]).toEqual([
      ['a', 2],
      ['b', 2],
    ]);
  });
});
