// Workers that die at any call of their store, while a schedule is paused, resumed, added again and triggered.
import { createRuntime, createWorker, memoryStore, type RunStore, type Worker } from 'agent-machines';
import { type NewSchedule, storedSchedules } from 'agent-machines/schedules';
import { type FakeClock, fakeClock } from 'agent-machines/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { failure, final, logWorkflow, node, says } from '../fixtures/log-workflow.ts';
import { share } from '../fixtures/share.ts';

const report = logWorkflow({ id: 'report', states: { a: node('a', 'done'), done: final, failed: failure }, nodes: { a: says('a') } });
const minuteMs = 60_000;
const startMs = Date.parse('2026-11-23T08:59:30Z');
const minutely = { workflow: 'report', input: {}, cron: '* * * * *', timeZone: 'UTC' } as const satisfies NewSchedule;

/** A store whose process dies before or after a call: no later call does anything, or ever returns. */
function mortal(store: RunStore, callsLeft: number, isAfter: boolean): RunStore {
  let left = callsLeft;
  const never = new Promise<never>(() => {});
  const wrap = <T extends object>(target: T): T =>
    new Proxy(target, {
      get(_, name) {
        const value: unknown = Reflect.get(target, name);
        if (name === 'storage' && typeof value === 'object' && value !== null) return wrap(value);
        if (typeof value !== 'function') return value;
        return (...given: unknown[]): unknown => {
          left--;
          if (left < 0 || (left === 0 && !isAfter)) return never;
          const result: unknown = Reflect.apply(value, target, given);
          return left === 0 ? never : result;
        };
      },
    });
  return wrap({ ...store });
}

const action = fc.oneof(
  fc.record({ does: fc.constant('pass' as const), seconds: fc.integer({ min: 1, max: 400 }) }),
  fc.record({ does: fc.constant('work' as const), calls: fc.integer({ min: 1, max: 120 }), isAfter: fc.boolean() }),
  fc.record({ does: fc.constantFrom('stop' as const, 'pause' as const, 'resume' as const, 'add' as const, 'trigger' as const) }),
);

type Action = typeof action extends fc.Arbitrary<infer T> ? T : never;

async function play(rules: NewSchedule, actions: readonly Action[]) {
  const clock: FakeClock = fakeClock(startMs);
  const store = memoryStore();
  const runtime = createRuntime({ store, clock, workflows: [report] });
  const schedules = storedSchedules(runtime);
  const workers: Worker[] = [];
  const pauses: [from: number, to: number][] = [];
  await schedules.add(rules);
  const resume = async (): Promise<void> => {
    await schedules.resume('report');
    const last = pauses.at(-1);
    if (last && last[1] === Number.POSITIVE_INFINITY) last[1] = clock.now();
  };
  for (const one of actions) {
    if (one.does === 'pass') await clock.advance(one.seconds * 1_000);
    else if (one.does === 'work')
      workers.push(createWorker({ store: mortal(store, one.calls, one.isAfter), clock, workflows: [report], drainMs: 0 }));
    else if (one.does === 'stop') void workers.pop()?.close();
    else if (one.does === 'add') await schedules.add(rules);
    else if (one.does === 'trigger') await schedules.trigger('report', { key: 'once' });
    else if (one.does === 'resume') await resume();
    else {
      if (pauses.at(-1)?.[1] !== Number.POSITIVE_INFINITY) pauses.push([clock.now(), Number.POSITIVE_INFINITY]);
      await schedules.pause('report');
    }
    await clock.advance(0);
  }
  await resume();
  const last = createWorker({ store, clock, workflows: [report] });
  for (let second = 0; second < 60; second++) await clock.advance(1_000);
  await last.close();
  const info = await schedules.get('report');
  const ids = (await store.list({ limit: 1_000 })).map(({ id }) => id).filter((id) => id.endsWith('Z'));
  const times = ids.map((id) =>
    Date.parse(id.slice('report_'.length).replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z')),
  );
  await runtime.close();
  return { info, pauses, times: times.sort((a, b) => a - b), now: clock.now() };
}

const dueUntil = (now: number): readonly number[] => {
  const first = Math.ceil(startMs / minuteMs) * minuteMs;
  return Array.from({ length: Math.max(0, Math.floor((now - first) / minuteMs) + 1) }, (_, index) => first + index * minuteMs);
};
const actions = fc.array(action, { maxLength: 12 });

describe('a stored schedule', () => {
  it('starts every due time once, whatever dies (missed: all, overlap: allow)', async () => {
    await fc.assert(
      fc.asyncProperty(actions, async (given) => {
        const { info, times, now } = await play({ ...minutely, missed: 'all', overlap: 'allow' }, given);
        expect(times).toEqual(dueUntil(now));
        expect(info.started).toBe(times.length); // each is counted once
      }),
      { numRuns: share(200) },
    );
  });

  it.each(['once', 'skip'] as const)('starts no time of a pause, and the last due one (missed: %s)', async (missed) => {
    await fc.assert(
      fc.asyncProperty(actions, async (given) => {
        const { info, pauses, times, now } = await play({ ...minutely, missed, overlap: 'queue' }, given);
        const due = dueUntil(now);
        expect(times.filter((one) => !due.includes(one))).toEqual([]);
        expect(new Set(times).size).toBe(times.length);
        expect(info).toMatchObject({ started: times.length, waiting: [] });
        for (const [from, to] of pauses) expect(times.filter((one) => one > from && one <= to)).toEqual([]);
        expect(times).toContain(due.at(-1));
      }),
      { numRuns: share(200) },
    );
  });
});
