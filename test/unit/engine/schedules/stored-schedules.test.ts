// Schedules that a store keeps.
import { join } from 'node:path';
import { createRuntime, createWorker, memoryStore, type RunStore, type Runtime, type Worker, type WorkerEvent } from 'agent-machines';
import { type NewSchedule, type StoredSchedules, schedule, storedSchedules } from 'agent-machines/schedules';
import { sqliteStore } from 'agent-machines/stores/sqlite';
import { type FakeClock, fakeClock } from 'agent-machines/testing';
import { describe, expect, it } from 'vitest';
import { folderForTest } from '../../../fixtures/folder-for-test.ts';
import { failure, final, logWorkflow, node, says, waiting } from '../../../fixtures/log-workflow.ts';

const report = logWorkflow({ id: 'report', states: { a: node('a', 'done'), done: final, failed: failure }, nodes: { a: says('a') } });
const asks = logWorkflow({ id: 'asks', states: { ask: waiting({ GO: 'done' }), done: final } });
const workflows = [report, asks];
const at = (text: string): number => Date.parse(text);
const hourly = { workflow: 'report', input: {}, cron: '0 * * * *', timeZone: 'UTC' } as const satisfies NewSchedule;

interface World {
  readonly store: RunStore;
  readonly clock: FakeClock;
  readonly runtime: Runtime;
  readonly schedules: StoredSchedules;
  readonly events: WorkerEvent[];
  work(pollMs?: number): Worker;
}

function world(from: string, store: RunStore = memoryStore()): World {
  const clock = fakeClock(at(from));
  const runtime = createRuntime({ store, clock, workflows });
  const events: WorkerEvent[] = [];
  const onEvent = (event: WorkerEvent): void => void events.push(event);
  const work: World['work'] = (pollMs = 1_000) => createWorker({ store, clock, runtime, onEvent, pollMs });
  return { store, clock, runtime, schedules: storedSchedules(runtime), events, work };
}

const idsIn = async (store: RunStore): Promise<readonly string[]> => (await store.list({ limit: 10_000 })).map(({ id }) => id).reverse();
const hoursIn = async (store: RunStore): Promise<readonly string[]> => (await idsIn(store)).map((id) => id.slice(-16, -5));

async function pass(clock: FakeClock, ms: number, stepMs = 1_000): Promise<void> {
  await clock.advance(0);
  for (let passed = 0; passed < ms; passed += stepMs) await clock.advance(stepMs);
}

/** Moves the clock of a world without a worker. */
const sleep = (clock: FakeClock, ms: number): Promise<void> => clock.advance(ms);
const hour = 3_600_000;

describe('add', () => {
  it('begins with the next time, in a worker that runs already', async () => {
    const { store, clock, schedules, work, events } = world('2026-11-23T08:30:00Z');
    const worker = work();
    await pass(clock, 5_000);
    expect(await schedules.add({ ...hourly, metadata: { by: 'clock' } })).toMatchObject({
      name: 'report',
      status: 'active',
      nextMs: at('2026-11-23T09:00:00Z'),
      missed: 'once',
      overlap: 'skip',
    });
    await pass(clock, hour, 10_000);
    await worker.close();
    expect(await idsIn(store)).toEqual(['report_20261123T090000Z']);
    expect(events.map(({ type }) => type)).toEqual(['fired', 'taken', 'rested']);
    expect(await schedules.get('report')).toMatchObject({
      lastMs: at('2026-11-23T09:00:00Z'),
      lastRunId: 'report_20261123T090000Z',
      nextMs: at('2026-11-23T10:00:00Z'),
      started: 1,
    });
  });

  it.each([
    [{ cron: 'every day' }, 'OPTION_INVALID'],
    [{ cron: '0 0 30 2 *' }, 'OPTION_INVALID'],
    [{ timeZone: 'Mars/Olympus' }, 'TIME_ZONE_UNKNOWN'],
    [{ timeZone: undefined as never }, 'OPTION_INVALID'],
    [{ name: 'a b' }, 'OPTION_INVALID'],
    [{ name: '' }, 'OPTION_INVALID'],
    [{ workflow: 'unknown' }, 'WORKFLOW_UNKNOWN'],
    [{ workflow: {} as never }, 'OPTION_INVALID'],
    [{ overlap: 'never' as never }, 'OPTION_INVALID'],
    [{ jitterMs: -1 }, 'OPTION_INVALID'],
    [{ jitterMs: 3_600_001 }, 'OPTION_INVALID'],
    [{ jitterMs: 90_000, cron: '* * * * *' }, 'OPTION_INVALID'],
    [{ jitterMs: 60_000, cron: '* * * * *' }, 'OPTION_INVALID'],
    [{ input: { log: 5n } }, 'VALUE_NOT_JSON'],
    [{ input: 'x'.repeat(70_000) }, 'OUTPUT_TOO_LARGE'],
    [{ surprise: 1 } as object, 'OPTION_INVALID'],
  ])('rejects %o with %s and writes nothing', async (more, code) => {
    const { schedules } = world('2026-11-23T08:30:00Z');
    await expect(schedules.add({ ...hourly, ...more })).rejects.toMatchObject({ code });
    expect(await schedules.list()).toEqual([]);
  });

  it('changes nothing for the same schedule, and rejects another one under its name', async () => {
    const { clock, schedules } = world('2026-11-23T08:30:00Z');
    const first = await schedules.add(hourly);
    await sleep(clock, hour);
    expect((await schedules.add({ ...hourly })).addedAt).toBe(first.addedAt);
    await expect(schedules.add({ ...hourly, cron: '5 * * * *' })).rejects.toMatchObject({ code: 'SCHEDULE_EXISTS' });
    expect((await schedules.get('report')).cron).toBe('0 * * * *');
  });
});

describe('schedules of code', () => {
  it('are listed, refuse their name, and are forgotten 3 minutes after their worker', async () => {
    const { store, clock, schedules } = world('2026-11-23T08:59:30Z');
    const declared = schedule(report, {}, { cron: '0 * * * *', timeZone: 'UTC' });
    const worker = createWorker({ store, clock, schedules: [declared] });
    await pass(clock, 60_000);
    const dueMs = at('2026-11-23T09:00:00Z');
    const shown = { name: 'report', workflow: 'report', status: 'declared', missed: 'once', cron: '0 * * * *', timeZone: 'UTC' };
    expect(await schedules.list()).toEqual([{ ...shown, lastMs: dueMs, nextMs: dueMs + hour }]);
    for (const refused of [
      schedules.add(hourly),
      schedules.pause('report'),
      schedules.resume('report'),
      schedules.trigger('report'),
      schedules.remove('report'),
      schedules.backfill('report', { fromMs: 0, toMs: 1 }),
    ])
      await expect(refused).rejects.toMatchObject({ code: 'SCHEDULE_DECLARED' });
    await worker.close();
    await sleep(clock, 200_000);
    expect(await schedules.list()).toEqual([]);
    expect(await schedules.add(hourly)).toMatchObject({ status: 'active' });
    expect(await idsIn(store)).toEqual(['report_20261123T090000Z']);
  });

  it('leave no note behind once no worker has them', async () => {
    const { store, clock, work } = world('2026-11-23T08:30:00Z');
    const worker = createWorker({ store, clock, schedules: [schedule(report, {}, { cron: '0 * * * *', timeZone: 'UTC' })] });
    await pass(clock, 2_000);
    await worker.close();
    expect(await store.storage?.notes?.({ prefix: 'schedule ' })).toHaveLength(1);
    await sleep(clock, 200_000);
    const other = work();
    await pass(clock, 2_000);
    await other.close();
    expect(await store.storage?.notes?.({ prefix: 'schedule ' })).toEqual([]);
  });
});

describe('an unknown name', () => {
  it.each(['get', 'pause', 'resume', 'trigger', 'remove'] as const)('is rejected by %s', async (method) => {
    const { schedules } = world('2026-11-23T08:30:00Z');
    await expect(schedules[method]('other')).rejects.toMatchObject({ code: 'SCHEDULE_UNKNOWN' });
    await expect(schedules[method]('%')).rejects.toMatchObject({ code: 'OPTION_INVALID' });
  });
});

describe('an outage', () => {
  it.each([
    ['skip', []],
    ['once', ['20261124T12']],
    ['all', ['20261124T10', '20261124T11', '20261124T12']],
  ] as const)('with missed: %s is followed by %o', async (missed, hours) => {
    const { store, clock, schedules, work } = world('2026-11-24T09:30:00Z');
    await schedules.add({ ...hourly, missed, overlap: 'queue' });
    await sleep(clock, 3 * hour);
    const worker = work();
    await pass(clock, 5_000);
    await worker.close();
    expect(await hoursIn(store)).toEqual(hours);
  });

  it.each(['once', 'all'] as const)('of a year costs no more calls of the storage than one of a day (%s)', async (missed) => {
    const callsAfter = async (ms: number): Promise<{ calls: number; runs: number }> => {
      const { store, clock, schedules } = world('2026-01-01T00:00:30Z');
      await schedules.add({ ...hourly, cron: '*/5 * * * *', missed, overlap: 'allow' });
      const other = createRuntime({ store, clock });
      for (let run = 0; run < 30; run++) await other.start(report, {}).result;
      await sleep(clock, ms);
      let calls = 0;
      const storage = new Proxy(store.storage ?? {}, {
        get(target, name) {
          const value: unknown = Reflect.get(target, name);
          if (typeof value !== 'function') return value;
          return (...given: unknown[]) => {
            calls++;
            return Reflect.apply(value, target, given);
          };
        },
      });
      const counted = { ...store, storage } as RunStore;
      const runtime = createRuntime({ store: counted, clock, workflows });
      const worker = createWorker({ store: counted, clock, runtime });
      await pass(clock, 10_000);
      await worker.close();
      return { calls, runs: (await store.list({ idPrefix: 'report_', limit: 1_000 })).length };
    };
    const day = await callsAfter(86_400_000);
    const year = await callsAfter(365 * 86_400_000);
    expect(year).toEqual(day);
    expect(year.runs).toBe(missed === 'once' ? 1 : 100);
  });
});

describe('overlap', () => {
  const overlapping = async (overlap: NewSchedule['overlap']): Promise<World & { readonly worker: Worker }> => {
    const made = world('2026-11-23T08:59:30Z');
    await made.schedules.add({ ...hourly, workflow: 'asks', name: 'asks', ...(overlap ? { overlap } : {}) });
    const worker = made.work(30_000);
    await pass(made.clock, 2.75 * hour, 30_000);
    return { ...made, worker };
  };
  const answer = async ({ runtime }: World, runId: string): Promise<void> => {
    const { result } = await runtime.get(runId);
    if (result?.status !== 'waiting' || !result.interrupt) throw new Error(`${runId} does not wait`);
    await (await runtime.send(runId, { type: 'GO' }, { interruptId: result.interrupt.id })).result;
  };
  const statuses = async ({ store }: World): Promise<Readonly<Record<string, string>>> =>
    Object.fromEntries((await store.list({ limit: 100 })).map(({ id, status }) => [id.slice(-7, -5), status]));

  it('skips the times of a run that waits, by default', async () => {
    const made = await overlapping(undefined);
    expect(await statuses(made)).toEqual({ '09': 'waiting' });
    expect(await made.schedules.get('asks')).toMatchObject({ started: 1, skipped: 2, nextMs: at('2026-11-23T12:00:00Z') });
    await answer(made, 'asks_20261123T090000Z');
    await pass(made.clock, hour, 30_000);
    expect(await statuses(made)).toEqual({ '09': 'done', '12': 'waiting' });
    await made.worker.close();
  });

  it('queues each time behind the run before it', async () => {
    const made = await overlapping('queue');
    expect(await statuses(made)).toEqual({ '09': 'waiting' });
    expect(await made.schedules.get('asks')).toMatchObject({ waiting: [at('2026-11-23T10:00:00Z'), at('2026-11-23T11:00:00Z')] });
    for (const hourOf of ['09', '10', '11']) {
      await answer(made, `asks_20261123T${hourOf}0000Z`);
      await pass(made.clock, 90_000, 30_000);
    }
    expect(await statuses(made)).toEqual({ '09': 'done', '10': 'done', '11': 'done' });
    expect(await made.schedules.get('asks')).toMatchObject({ waiting: [], started: 3, skipped: 0 });
    await made.worker.close();
  });

  it('replaces the run of the earlier time', async () => {
    const made = await overlapping('replace');
    expect(await statuses(made)).toEqual({ '09': 'cancelled', '10': 'cancelled', '11': 'waiting' });
    await made.worker.close();
  });

  it('allows runs beside each other', async () => {
    const made = await overlapping('allow');
    expect(await statuses(made)).toEqual({ '09': 'waiting', '10': 'waiting', '11': 'waiting' });
    await made.worker.close();
  });

  it.each(['skip', 'queue'] as const)('counts a triggered run (%s)', async (overlap) => {
    const made = world('2026-11-23T08:59:30Z');
    await made.schedules.add({ ...hourly, workflow: 'asks', name: 'asks', overlap });
    const { runId } = await made.schedules.trigger('asks');
    const worker = made.work();
    await pass(made.clock, 60_000);
    expect(await idsIn(made.store)).toEqual([runId]);
    await worker.close();
  });
});

describe('pause', () => {
  it.each([
    ['once', []],
    ['skip', []],
    ['all', ['20261123T10', '20261123T11']],
  ] as const)('with missed: %s starts %o of its times after resume', async (missed, hours) => {
    const { store, clock, schedules, work } = world('2026-11-23T08:59:30Z');
    await schedules.add({ ...hourly, missed, overlap: 'queue' });
    const worker = work(10_000);
    await pass(clock, 60_000);
    expect(await schedules.pause('report')).toMatchObject({ status: 'paused' });
    expect((await schedules.get('report')).nextMs).toBe(undefined);
    await pass(clock, 2 * hour, 60_000);
    expect(await hoursIn(store)).toEqual(['20261123T09']);
    await schedules.resume('report');
    await pass(clock, 10_000);
    expect(await hoursIn(store)).toEqual(['20261123T09', ...hours]);
    await pass(clock, hour, 60_000);
    expect(await hoursIn(store)).toEqual(['20261123T09', ...hours, '20261123T12']);
    await worker.close();
  });
});

describe('trigger', () => {
  it('starts one run per key, also during a pause', async () => {
    const { store, clock, schedules, work } = world('2026-11-23T08:30:00Z');
    await schedules.add({ ...hourly, name: 'x'.repeat(40) });
    await schedules.pause('x'.repeat(40));
    const first = await schedules.trigger('x'.repeat(40), { key: 'a' });
    expect(first.isNew).toBe(true);
    expect(await schedules.trigger('x'.repeat(40), { key: 'a' })).toEqual({ ...first, isNew: false });
    expect((await schedules.trigger('x'.repeat(40), { key: 'b' })).isNew).toBe(true);
    expect((await schedules.trigger('x'.repeat(40))).isNew).toBe(true);
    const worker = work();
    await pass(clock, 5_000);
    await worker.close();
    expect((await store.list({})).map(({ status }) => status)).toEqual(['done', 'done', 'done']);
    for (const key of ['', 'x'.repeat(201), 5 as never])
      await expect(schedules.trigger('x'.repeat(40), { key })).rejects.toMatchObject({ code: 'OPTION_INVALID' });
  });
});

describe('backfill', () => {
  it('starts the times of an interval once, under the ids of normal starts', async () => {
    const { store, clock, schedules, work } = world('2026-11-23T08:59:30Z');
    await schedules.add({ ...hourly, overlap: 'allow' });
    const worker = work();
    await pass(clock, 60_000);
    const interval = { fromMs: at('2026-11-23T07:00:00Z'), toMs: at('2026-11-23T09:00:01Z') };
    const expected = ['07', '08', '09'].map((one) => ({
      dueMs: at(`2026-11-23T${one}:00:00Z`),
      runId: `report_20261123T${one}0000Z`,
      isNew: one !== '09',
    }));
    expect(await schedules.backfill('report', { ...interval, dryRun: true })).toEqual(expected);
    expect(await idsIn(store)).toHaveLength(1);
    expect(await schedules.backfill('report', interval)).toEqual(expected);
    expect((await schedules.backfill('report', interval)).map(({ isNew }) => isNew)).toEqual([false, false, false]);
    await pass(clock, 5_000);
    await worker.close();
    expect((await store.list({})).map(({ status }) => status)).toEqual(['done', 'done', 'done']);
  });

  it('rejects more than 1,000 times, an interval that is not over, and one that ends before it begins', async () => {
    const { schedules } = world('2026-11-23T08:30:00Z');
    await schedules.add({ ...hourly, cron: '* * * * *' });
    const toMs = at('2026-11-23T00:00:00Z');
    expect(await schedules.backfill('report', { fromMs: toMs - 1_000 * 60_000, toMs, dryRun: true })).toHaveLength(1_000);
    for (const wrong of [
      { fromMs: toMs - 1_001 * 60_000, toMs },
      { fromMs: toMs, toMs: at('2026-11-23T08:30:01Z') },
      { fromMs: toMs, toMs },
      { fromMs: Number.NaN, toMs },
      { fromMs: -1e17, toMs },
    ])
      await expect(schedules.backfill('report', wrong)).rejects.toMatchObject({ code: 'OPTION_INVALID' });
  });
});

describe('remove', () => {
  it('ends the schedule and keeps its runs; the name is free', async () => {
    const { store, clock, schedules, work } = world('2026-11-23T08:59:30Z');
    await schedules.add(hourly);
    const worker = work();
    await pass(clock, 60_000);
    await schedules.remove('report');
    await pass(clock, hour, 60_000);
    expect(await hoursIn(store)).toEqual(['20261123T09']);
    expect(await store.storage?.notes?.({ prefix: 'schedule ' })).toEqual([]);
    await schedules.add({ ...hourly, cron: '30 * * * *' });
    await pass(clock, hour, 60_000);
    expect(await idsIn(store)).toEqual(['report_20261123T090000Z', 'report_20261123T103000Z']);
    await worker.close();
  });

  it('removes a damaged note, which hides no other schedule', async () => {
    const { store, clock, schedules, work } = world('2026-11-23T08:59:30Z');
    await schedules.add(hourly);
    await store.storage?.note?.('schedule broken', () => ({ text: '{"kind":"stored"' }));
    expect(await schedules.list()).toHaveLength(1);
    await expect(schedules.add({ ...hourly, name: 'broken' })).rejects.toMatchObject({ code: 'SCHEDULE_EXISTS' });
    const worker = work();
    await pass(clock, 60_000);
    await worker.close();
    expect(await hoursIn(store)).toEqual(['20261123T09']);
    await schedules.remove('broken');
    await schedules.add({ ...hourly, name: 'broken' });
  });
});

describe('times', () => {
  it('follow the clocks of Europe/Berlin when they are set', async () => {
    const { store, clock, schedules, work } = world('2026-03-28T00:00:00Z');
    await schedules.add({ ...hourly, cron: '30 2 * * *', timeZone: 'Europe/Berlin', overlap: 'allow' });
    const worker = work(3_600_000);
    await pass(clock, 3 * 24 * hour, 3_600_000);
    await worker.close();
    expect(await idsIn(store)).toEqual(['report_20260328T013000Z', 'report_20260329T010000Z', 'report_20260330T003000Z']);
  });

  it('start with the same delay in every process, under ids without it', async () => {
    const starts = await Promise.all(
      [1, 2].map(async () => {
        const { store, clock, schedules, work } = world('2026-11-23T08:59:30Z');
        const { nextMs } = await schedules.add({ ...hourly, jitterMs: 600_000 });
        const worker = work(600_000);
        await pass(clock, 3 * hour, 600_000);
        await worker.close();
        const runs = await store.list({ limit: 10 });
        expect(runs.at(-1)?.startedAt).toBe(nextMs);
        return runs.map(({ id, startedAt }) => [id, startedAt]);
      }),
    );
    expect(starts[0]).toEqual(starts[1]);
    const delays = starts[0]?.map(([id, startedAt]) => Number(startedAt) - at(`2026-11-23T${String(id).slice(-7, -5)}:00:00Z`)) ?? [];
    expect(delays).toHaveLength(3);
    expect(new Set(delays).size).toBe(3);
    for (const delay of delays) expect(delay >= 0 && delay < 600_000).toBe(true);
  });
});

describe('workers', () => {
  it('on one file start each time once, and leave other workflows to others', async () => {
    const path = join(folderForTest('schedules-'), 'runs.db');
    const clock = fakeClock(at('2026-11-23T08:59:30Z'));
    const stores = Array.from({ length: 3 }, () => sqliteStore({ path }));
    const events: WorkerEvent[] = [];
    const onEvent = (event: WorkerEvent): void => void events.push(event);
    const workers = stores.map((store, index) =>
      createWorker({ store, clock, onEvent, pollMs: 1_000, workflows: index === 2 ? [asks] : [report] }),
    );
    const runtime = createRuntime({ store: sqliteStore({ path }), clock, workflows });
    await storedSchedules(runtime).add({ ...hourly, cron: '*/10 * * * *', overlap: 'allow' });
    const isDone = async (count: number): Promise<boolean> => (await runtime.list({ status: 'done' })).length === count;
    for (let count = 1; count <= 3; count++) {
      await clock.advance(count === 1 ? 30_000 : 600_000 - (clock.now() % 600_000));
      while (!(await isDone(count))) await clock.advance(100); // each call gives the files some time
    }
    while (((await storedSchedules(runtime).get('report')).started ?? 0) < 3) await clock.advance(100);
    await Promise.all(workers.map((worker) => worker.close()));
    const ids = (await runtime.list({ status: 'done' })).map(({ id }) => id);
    expect(ids.reverse()).toEqual(['report_20261123T090000Z', 'report_20261123T091000Z', 'report_20261123T092000Z']);
    expect(events.filter(({ type }) => type === 'fired')).toHaveLength(3);
    expect(await storedSchedules(runtime).get('report')).toMatchObject({ started: 3 });
    for (const store of stores) await store.close();
  });

  it('complete the start that another one has decided before it died', async () => {
    const { store, clock, schedules, work } = world('2026-11-23T08:59:30Z');
    await schedules.add(hourly);
    // it never comes back from the store after its decision
    let isDead = false;
    const dead: RunStore = {
      ...store,
      create() {
        isDead = true;
        return new Promise<never>(() => {});
      },
    };
    createWorker({ store: dead, clock, workflows });
    await pass(clock, 60_000);
    expect([isDead, await idsIn(store)]).toEqual([true, []]);
    await schedules.pause('report'); // which does not undo the decision
    const worker = work();
    await pass(clock, 5_000);
    await worker.close();
    expect(await hoursIn(store)).toEqual(['20261123T09']);
    expect(await schedules.get('report')).toMatchObject({ started: 1, lastRunId: 'report_20261123T090000Z' });
  });

  it('report an input that the workflow refuses by now, and go on with the next time', async () => {
    const { store, clock, schedules, events } = world('2026-11-23T08:59:30Z');
    await schedules.add(hourly);
    const strict = {
      ...report,
      parseInput: () => {
        throw new Error('log is missing');
      },
    };
    const worker = createWorker({ store, clock, workflows: [strict], onEvent: (event) => events.push(event) });
    await pass(clock, 60_000);
    expect(events).toMatchObject([
      { type: 'left', runId: 'report_20261123T090000Z', error: { message: expect.stringContaining('log is missing') } },
    ]);
    expect(await schedules.get('report')).toMatchObject({ started: 0, lastError: { message: expect.stringContaining('log is missing') } });
    await pass(clock, hour, 60_000);
    expect(events.filter(({ type }) => type === 'left')).toHaveLength(2);
    await worker.close();
  });
});
