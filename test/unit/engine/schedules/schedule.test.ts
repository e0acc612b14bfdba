// Times at which workers start runs.
import { join } from 'node:path';
import { createRuntime, createWorker, memoryStore, type RunStore, type Worker, type WorkerEvent } from 'agent-machines';
import { type Schedule, type ScheduleOptions, schedule } from 'agent-machines/schedules';
import { pruneRuns } from 'agent-machines/stores';
import { sqliteStore } from 'agent-machines/stores/sqlite';
import { type FakeClock, fakeClock } from 'agent-machines/testing';
import { describe, expect, it } from 'vitest';
import { folderForTest } from '../../../fixtures/folder-for-test.ts';
import { failure, final, logWorkflow, node, says, waiting } from '../../../fixtures/log-workflow.ts';

const report = logWorkflow({ id: 'report', states: { a: node('a', 'done'), done: final, failed: failure }, nodes: { a: says('a') } });
const failsAtNine = logWorkflow({
  id: 'fails_at_nine',
  states: { a: node('a', [{ target: 'done', guard: 'reported' }, { target: 'failed' }]), done: final, failed: failure },
  nodes: { a: says('a') },
  guards: {
    reported({ log }) {
      if (log.includes('fail')) throw new Error('nothing to report');
      return true;
    },
  },
  thread: { initial: [], next: (before) => before },
});
const at = (text: string): number => Date.parse(text);
const hourly = (more: Partial<ScheduleOptions> = {}): Schedule => schedule(report, {}, { cron: '0 * * * *', timeZone: 'UTC', ...more });

const timesOf = (one: Schedule, from: string, count: number): readonly string[] => {
  const times: string[] = [];
  for (let ms = one.next(at(from)); ms !== undefined && times.length < count; ms = one.next(ms))
    times.push(new Date(ms).toISOString().slice(0, 16));
  return times;
};

describe('schedule', () => {
  it.each([
    // the clock is set forward at 2:00 to 3:00
    ['30 2 * * *', 'Europe/Berlin', '2026-03-28T00:00Z', ['2026-03-28T01:30', '2026-03-29T01:00', '2026-03-30T00:30']],
    ['0 * * * *', 'Europe/Berlin', '2026-03-28T23:30Z', ['2026-03-29T00:00', '2026-03-29T01:00', '2026-03-29T02:00']],
    // the clock is set back at 3:00 to 2:00
    ['30 2 * * *', 'Europe/Berlin', '2026-10-24T00:00Z', ['2026-10-24T00:30', '2026-10-25T00:30', '2026-10-26T01:30']],
    ['0 * * * *', 'Europe/Berlin', '2026-10-24T23:30Z', ['2026-10-25T00:00', '2026-10-25T01:00', '2026-10-25T02:00']],
    ['30 1 * * *', 'America/New_York', '2026-10-31T00:00Z', ['2026-10-31T05:30', '2026-11-01T05:30', '2026-11-02T06:30']],
    ['30 2 * * *', 'America/New_York', '2026-03-07T00:00Z', ['2026-03-07T07:30', '2026-03-08T07:00', '2026-03-09T06:30']],
    // by half an hour
    ['15 2 * * *', 'Australia/Lord_Howe', '2026-10-02T00:00Z', ['2026-10-02T15:45', '2026-10-03T15:30', '2026-10-04T15:15']],
    // never
    ['0 9 * * 1-5', 'Asia/Seoul', '2026-11-20T00:00Z', ['2026-11-23T00:00', '2026-11-24T00:00']],
    ['0 0 29 2 *', 'UTC', '2026-01-01T00:00Z', ['2028-02-29T00:00', '2032-02-29T00:00']],
    ['0 0 31 * *', 'UTC', '2026-01-31T00:00Z', ['2026-03-31T00:00', '2026-05-31T00:00']],
    ['0 0 L * *', 'UTC', '2026-01-31T00:00Z', ['2026-02-28T00:00', '2026-03-31T00:00']],
  ])('computes the times of %s in %s from %s on', (cron, timeZone, from, times) => {
    const one = schedule(report, {}, { cron, timeZone });
    expect(timesOf(one, from, times.length)).toEqual(times);
    // and backwards the same
    const last = one.next(at(`${times.at(-1)}Z`)) ?? 0;
    expect([...one.previous(last, times.length)].reverse().map((ms) => new Date(ms).toISOString().slice(0, 16))).toEqual(times);
  });

  it.each([
    [{ cron: 'every day' }, 'exactly five, six, or seven'],
    [{ cron: '60 * * * *' }, 'Invalid value for minute'],
    [{ cron: '0 0 30 2 *' }, 'never starts a run'],
    [{ cron: 5 as never }, 'must be a text'],
    [{ timeZone: 'Mars/Olympus' }, 'is not a time zone', 'TIME_ZONE_UNKNOWN'],
    [{ name: 'a b' }, 'cannot be "a b"'],
    [{ name: 'x'.repeat(41) }, 'cannot be'],
    [{ missed: 'twice' as never }, 'must be one of'],
    [{ timezone: 'UTC' } as object, 'no option "timezone"'],
    [{ grantEgress: true } as object, 'no option "grantEgress"'],
  ])('rejects %o', (options, why, code = 'OPTION_INVALID') => {
    expect(() => hourly(options)).toThrow(expect.objectContaining({ code, message: expect.stringContaining(why) }));
  });

  it.each([[], [report, {}], [report, {}, null], [undefined, {}, { cron: '0 * * * *' }]])('rejects %o, %o, %o', (...given) => {
    expect(() => Reflect.apply(schedule, undefined, given)).toThrow(expect.objectContaining({ code: 'OPTION_INVALID' }));
  });
});

/** Runs of the store by their ids, oldest first. */
const idsIn = async (store: RunStore): Promise<readonly string[]> => (await store.list({ limit: 10_000 })).map(({ id }) => id).reverse();

async function worked(workers: readonly Worker[], clock: FakeClock, ms: number): Promise<void> {
  await clock.advance(0);
  for (let passed = 0; passed < ms; passed += 1_000) await clock.advance(1_000);
  await Promise.all(workers.map((worker) => worker.close()));
}

describe('a worker with schedules', () => {
  it('starts a run at its time, under an id that names the time', async () => {
    const clock = fakeClock(at('2026-11-23T08:59:30Z'));
    const store = memoryStore();
    const events: WorkerEvent[] = [];
    const one = schedule(report, (due) => ({ log: [new Date(due).toISOString()] }), {
      cron: '0 9 * * *',
      timeZone: 'UTC',
      metadata: { by: 'clock' },
    });
    const worker = createWorker({ store, clock, schedules: [one], onEvent: (event) => events.push(event) });
    await worked([worker], clock, 40_000);
    expect(await idsIn(store)).toEqual(['report_20261123T090000Z']);
    expect(events.map(({ type }) => type)).toEqual(['fired', 'rested']);
    expect(events[0]).toMatchObject({ schedule: 'report', dueMs: at('2026-11-23T09:00:00Z') });
    expect(await createRuntime({ store }).get('report_20261123T090000Z')).toMatchObject({
      metadata: { by: 'clock' },
      result: { status: 'done', output: '2026-11-23T09:00:00.000Z,a' },
    });
  });

  it('starts it once with any number of workers', async () => {
    const clock = fakeClock(at('2026-11-23T08:59:58Z'));
    const path = join(folderForTest('schedules-'), 'runs.db');
    const stores = Array.from({ length: 10 }, () => sqliteStore({ path }));
    const workers = stores.map((store) => createWorker({ store, clock, schedules: [hourly()] }));
    await worked(workers, clock, 5_000);
    const [store] = stores;
    expect(store && (await idsIn(store))).toEqual(['report_20261123T090000Z']);
    expect(store && (await store.journal('report_20261123T090000Z')).filter(({ kind }) => kind === 'node')).toHaveLength(1);
    for (const each of stores) await each.close();
  });

  it.each([
    ['skip', '2026-11-23T12:30:00Z', []],
    ['skip', '2026-11-23T12:00:30Z', ['12']],
    ['once', '2026-11-23T12:30:00Z', ['12']],
    ['all', '2026-11-23T12:30:00Z', ['10', '11', '12']],
  ] as const)('starts missed runs (%s, back at %s) at %o', async (missed, back, hours) => {
    const store = memoryStore();
    const before = fakeClock(at('2026-11-23T08:59:59Z'));
    await worked([createWorker({ store, clock: before, schedules: [hourly({ missed })] })], before, 3_000);
    const clock = fakeClock(at(back));
    await worked([createWorker({ store, clock, schedules: [hourly({ missed })] })], clock, 3_000);
    expect(await idsIn(store)).toEqual(['09', ...hours].map((hour) => `report_20261123T${hour}0000Z`));
  });

  /** A schedule that counts the times that it computes. */
  const counted = (one: Schedule): { readonly schedule: Schedule; computed: number } => {
    const counting = {
      computed: 0,
      schedule: {
        ...one,
        next: (afterMs: number) => {
          counting.computed++;
          return one.next(afterMs);
        },
        previous: (beforeMs: number, count: number) => {
          counting.computed += count;
          return one.previous(beforeMs, count);
        },
      },
    };
    return counting;
  };

  it.each([
    ['skip', 0, 20],
    ['once', 1, 20],
    ['all', 100, 140],
  ] as const)('starts what an outage of 1,500 times missed (%s), and computes a few times', async (missed, runs, most) => {
    const store = memoryStore();
    const before = fakeClock(at('2026-01-01T08:59:59Z'));
    await worked([createWorker({ store, clock: before, schedules: [hourly({ missed })] })], before, 3_000);
    const other = createRuntime({ store, clock: before });
    for (let run = 0; run < 1_100; run++) await other.start(report, {}).result; // which are in front of it in the list
    const backAt = at('2026-01-01T09:30:00Z') + 1_500 * 3_600_000;
    const clock = fakeClock(backAt);
    const one = counted(hourly({ missed }));
    await worked([createWorker({ store, clock, concurrency: 200, schedules: [one.schedule] })], clock, 3_000);
    const started = (await idsIn(store)).filter((id) => id.startsWith('report_')).slice(1);
    const hours = Array.from({ length: runs }, (_, index) => new Date(backAt - 1_800_000 - index * 3_600_000).toISOString());
    expect(started).toEqual(hours.map((hour) => `report_${hour.slice(0, 19).replace(/[-:]/g, '')}Z`).reverse());
    expect(one.computed).toBeLessThanOrEqual(most);
  });

  it.each([
    ['once', 1, 40],
    ['all', 100, 160],
  ] as const)('computes a few times (%s) when the clock jumps forward by a year', async (missed, runs, most) => {
    const store = memoryStore();
    const steady = fakeClock(at('2026-01-01T08:59:59Z'));
    let aheadMs = 0;
    const clock = { ...steady, now: () => steady.now() + aheadMs };
    const one = counted(hourly({ cron: '* * * * *', missed }));
    const worker = createWorker({ store, clock, concurrency: 200, schedules: [one.schedule] });
    for (let second = 0; second < 3; second++) await steady.advance(1_000);
    aheadMs = 366 * 86_400_000;
    for (let second = 0; second < 3; second++) await steady.advance(1_000);
    await worker.close();
    expect(await idsIn(store)).toHaveLength(1 + runs);
    expect(one.computed).toBeLessThanOrEqual(most);
  });

  it('continues while eight runs of a conversation wait for a human, and keeps their order', async () => {
    const store = memoryStore();
    const clock = fakeClock(at('2026-11-23T08:59:59Z'));
    const asks = logWorkflow({ id: 'digest', states: { ask: waiting({ GO: 'done' }), done: final } });
    const digests = schedule(asks, {}, { cron: '0 * * * *', timeZone: 'UTC', threadId: 'daily' });
    const worker = createWorker({ store, clock, pollMs: 60_000, schedules: [digests, hourly()] });
    for (let minute = 0; minute < 12 * 60; minute++) await clock.advance(60_000);
    const runs = await store.list({ workflow: 'digest' });
    expect(runs.map(({ status }) => status)).toEqual([...Array(11).fill('queued'), 'waiting']);
    expect(await store.list({ workflow: 'report', status: 'done' })).toHaveLength(12);
    const human = createRuntime({ store, clock, workflows: [asks] });
    for (const { id } of [...runs].reverse()) {
      const { result } = await human.get(id);
      if (result?.status !== 'waiting' || !result.interrupt) throw new Error(`${id} does not wait`);
      await (await human.send(id, { type: 'GO' }, { interruptId: result.interrupt.id })).result;
      for (let minute = 0; minute < 2; minute++) await clock.advance(60_000);
    }
    expect((await store.list({ workflow: 'digest', status: 'done' })).map(({ id }) => id).slice(-12)).toEqual(runs.map(({ id }) => id));
    await worker.close();
  });

  // what a schedule that nobody has any more leaves are its runs, and nothing else is stored of it
  it('leaves nothing in the store after it is dropped and its runs are pruned', async () => {
    const store = sqliteStore({ path: join(folderForTest('schedules-'), 'runs.db') });
    const clock = fakeClock(at('2026-11-23T08:59:59Z'));
    const inThread = schedule(failsAtNine, {}, { cron: '0 * * * *', timeZone: 'UTC', threadId: 't' });
    const given = [hourly({ name: 'given-up' }), inThread];
    await worked([createWorker({ store, clock, schedules: given })], clock, 3_000);
    expect(await idsIn(store)).toHaveLength(2);
    const now = at('2027-01-01T00:00:00Z');
    expect(await pruneRuns(store, { olderThanMs: 0, now, threads: true })).toMatchObject({ runs: 2, threads: 1 });
    expect(await idsIn(store)).toEqual([]);
    expect(await store.readThread('t')).toBe(undefined);
    await store.close();
  });

  it.each([
    ['done ones, after an earlier failure', { statuses: ['done'] }, undefined, ['09', '11', '12']],
    ['done ones, after an earlier failure in a thread', { statuses: ['done'], threads: true }, 't', ['09', '11', '12']],
    ['failed ones', { statuses: ['failed'] }, undefined, ['10', '11', '12']],
    ['all', {}, undefined, []],
    ['all but the last one of the workflow', { keep: 1 }, undefined, ['11', '12']],
  ] as const)('does not start a time again after runs were pruned: %s', async (_, options, threadId, hours) => {
    const store = memoryStore();
    const place = threadId === undefined ? {} : { threadId };
    const failing = (due: number) => ({ log: [new Date(due).getUTCHours() === 9 ? 'fail' : 'go on'] });
    const one = schedule(failsAtNine, failing, { cron: '0 * * * *', timeZone: 'UTC', missed: 'all', ...place });
    const before = fakeClock(at('2026-11-23T08:59:59Z'));
    await worked([createWorker({ store, clock: before, pollMs: 60_000, schedules: [one] })], before, 2 * 3_600_000 + 90_000);
    expect(await idsIn(store)).toHaveLength(3);
    await pruneRuns(store, { olderThanMs: 0, now: at('2027-01-01T00:00:00Z'), ...options });
    const kept = await idsIn(store);
    const clock = fakeClock(at('2026-11-23T12:00:30Z'));
    await worked([createWorker({ store, clock, schedules: [one] })], clock, 3_000);
    const ids = hours.map((hour) => `fails_at_nine_20261123T${hour}0000Z`);
    expect(await idsIn(store)).toEqual(ids);
    expect(kept).toEqual(ids.filter((id) => !id.includes('T12')));
  });

  it.each([
    ['a last run below many others', [hourly().name], 'report_20261123T110000Z', 1],
    ['no run', ['report', 'new', 'newer'], 'other', 0],
  ])('reads at most the newest 1,000 runs of others for a schedule with %s', async (_, names, oldest, missed) => {
    const store = memoryStore();
    const request = { owner: 'o', leaseMs: 1_000, now: 0, monotonic: 0 };
    for (const id of [oldest, ...Array.from({ length: 4_000 }, (_, i) => `other_${i}`)]) {
      const start = { seq: 1, key: 'run', kind: 'start', outcome: {}, events: [], epoch: 1, at: 0 } as const;
      await store.create({ id, workflow: 'report', version: '1', structure: 's', ifBusy: 'reject' }, [start], request);
      await store.settle({ runId: id, epoch: 1 }, { status: 'cancelled', activeMs: 0 });
    }
    const before = (await idsIn(store)).length;
    let read = 0;
    const counted: RunStore = {
      ...store,
      async list(query) {
        const runs = await store.list(query);
        if (query.workflow !== undefined) read += runs.length; // others look for work
        return runs;
      },
    };
    const clock = fakeClock(at('2026-11-23T12:30:00Z'));
    await worked([createWorker({ store: counted, clock, schedules: names.map((name) => hourly({ name })) })], clock, 0);
    expect(read).toBeLessThanOrEqual(names.length * 1_001);
    expect(await idsIn(store)).toHaveLength(before + missed);
  });

  it('starts no missed run for a new schedule', async () => {
    const store = memoryStore();
    const clock = fakeClock(at('2026-11-23T12:30:00Z'));
    await worked([createWorker({ store, clock, schedules: [hourly({ missed: 'all' })] })], clock, 3_000);
    expect(await idsIn(store)).toEqual([]);
  });

  it('starts runs up to its limit at once, and the rest afterwards', async () => {
    const store = memoryStore();
    const before = fakeClock(at('2026-11-22T23:59:59Z'));
    await worked([createWorker({ store, clock: before, schedules: [hourly({ missed: 'all' })] })], before, 3_000);
    const clock = fakeClock(at('2026-11-23T12:30:00Z'));
    let atWork = 0;
    let most = 0;
    const onEvent = ({ type }: WorkerEvent): void => {
      atWork += type === 'fired' ? 1 : type === 'rested' ? -1 : 0;
      most = Math.max(most, atWork);
    };
    await worked([createWorker({ store, clock, concurrency: 2, schedules: [hourly({ missed: 'all' })], onEvent })], clock, 20_000);
    expect(await idsIn(store)).toHaveLength(13);
    expect(most).toBe(2);
  });

  it.each([
    ['skip', []],
    ['once', ['1258']],
    [
      'all',
      Array.from(
        { length: 100 },
        (_, index) => `${9 + Math.floor((40 + 2 * index) / 60)}`.padStart(2, '0') + `${(40 + 2 * index) % 60}`.padStart(2, '0'),
      ),
    ],
  ] as const)('starts equally many runs after 4 hours without a free slot and after an outage (%s)', async (missed, times) => {
    const store = memoryStore();
    const clock = fakeClock(at('2026-11-23T08:59:30Z'));
    const held = Promise.withResolvers<void>();
    const holding = logWorkflow({
      id: 'holding',
      states: { a: node('a', 'done'), done: final, failed: failure },
      nodes: {
        a: async () => {
          await held.promise;
          return {};
        },
      },
    });
    const runtime = createRuntime({ store, clock, workflows: [holding, report], limits: { wallTimeMs: 86_400_000 } });
    const one = counted(hourly({ cron: '*/2 * * * *', missed }));
    const first = schedule(holding, {}, { cron: '0 9 23 11 *', timeZone: 'UTC' });
    const worker = createWorker({ runtime, clock, pollMs: 60_000, concurrency: 1, schedules: [first, one.schedule] });
    for (let minute = 0; minute < 4 * 60; minute++) await clock.advance(60_000);
    expect(await idsIn(store)).toEqual(['holding_20261123T090000Z']);
    held.resolve();
    for (let second = 0; second < 20; second++) await clock.advance(1_000);
    await worker.close();
    const started = (await idsIn(store)).slice(1);
    expect(started).toEqual(times.map((time) => `report_20261123T${time}00Z`));
    expect(one.computed).toBeLessThanOrEqual(4 * 60 * (missed === 'all' ? 25 : 6));
    await runtime.close();
  });

  it.each(['store', 'worker'] as const)('counts its run towards the limit of its key (across: %s)', async (across) => {
    const store = memoryStore();
    const clock = fakeClock(at('2026-11-23T08:59:59Z'));
    let atWork = 0;
    let most = 0;
    const working = logWorkflow({
      id: 'working',
      states: { a: node('a', 'done'), done: final, failed: failure },
      nodes: {
        a: async () => {
          most = Math.max(most, ++atWork);
          await new Promise<void>((resolve) => clock.schedule(5_000, resolve));
          atWork--;
          return {};
        },
      },
    });
    const runtime = createRuntime({ store, clock, workflows: [working] });
    runtime.start(working, {}, { runId: 'queued', drive: false });
    const schedules = ['a', 'b'].map((name) => schedule(working, {}, { cron: '0 * * * *', timeZone: 'UTC', name }));
    const concurrency = { key: () => 'one account', across };
    const worker = createWorker({ store, clock, workflows: [working], concurrency, schedules });
    await worked([worker], clock, 30_000);
    expect([(await store.list({ status: 'done' })).length, most]).toEqual([3, 1]);
    await runtime.close();
  });

  it('continues when an input is rejected, and reports the schedule', async () => {
    const store = memoryStore();
    const clock = fakeClock(at('2026-11-23T08:59:59Z'));
    const events: WorkerEvent[] = [];
    const bad = schedule(
      report,
      () => {
        throw new Error('no data yet');
      },
      { cron: '0 * * * *', timeZone: 'UTC', name: 'bad' },
    );
    await worked([createWorker({ store, clock, schedules: [bad, hourly()], onEvent: (event) => events.push(event) })], clock, 3_000);
    expect(events).toContainEqual(expect.objectContaining({ type: 'left', runId: 'bad_20261123T090000Z' }));
    expect(await idsIn(store)).toEqual(['report_20261123T090000Z']);
  });

  it('rejects two schedules with one name', () => {
    expect(() => createWorker({ store: memoryStore(), schedules: [hourly(), hourly()] })).toThrow(
      expect.objectContaining({ code: 'OPTION_INVALID' }),
    );
  });
});
