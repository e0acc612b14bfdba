import { createRuntime, memoryStore, type RunResult } from 'agent-machines';
import { type FakeClock, fakeClock } from 'agent-machines/testing';
import { describe, expect, it } from 'vitest';
import { failure, final, type LogHandler, logWorkflow, node, says, waiting } from '../../../fixtures/log-workflow.ts';

const hour = 3_600_000;
const later = (delayMs: number, target: string) => ({ after: { [delayMs]: { target, actions: 'merge' } } });

/** a → sleep (1 h) → b → done. */
const sleepy = (delayMs = hour, b: LogHandler = says('b')) =>
  logWorkflow({
    states: { a: node('a', 'sleep'), sleep: later(delayMs, 'b'), b: node('b', 'done'), done: final, failed: failure },
    nodes: { a: says('a'), b },
  });

const inTime = async <T>(promise: Promise<T>, clock: FakeClock, stepMs = 1_000): Promise<T> => {
  let settled = false;
  const settle = (): void => {
    settled = true;
  };
  promise.then(settle, settle);
  await clock.advance(0);
  for (let i = 0; !settled && i < 10_000; i++) await clock.advance(stepMs);
  return promise;
};

describe('a run that waits only for timers', () => {
  it('is suspended without a lease, and reports when it wakes', async () => {
    const clock = fakeClock(1_000);
    const store = memoryStore();
    const run = createRuntime({ store, clock }).start(sleepy(), {});
    await clock.advance(0);
    const result: RunResult<string> = { status: 'waiting', interrupts: [], wakeAt: 1_000 + hour };
    expect(await run.result).toEqual(result);
    expect(await store.read(run.id)).toMatchObject({ status: 'waiting', wakeAt: 1_000 + hour });
    expect((await createRuntime({ store, clock }).get(run.id)).result).toEqual(result);
    // nobody has it: another process may take it at once
    const { lease } = await store.acquire(run.id, { owner: 'other', now: clock.now(), monotonic: clock.monotonic(), leaseMs: 1 });
    expect(lease.runId).toBe(run.id);
  });

  it('resumes by itself in a live process when the timer is due', async () => {
    const clock = fakeClock(1_000);
    const store = memoryStore();
    const run = createRuntime({ store, clock }).start(sleepy(), {});
    await clock.advance(hour - 1);
    expect((await store.read(run.id))?.status).toBe('waiting');
    await clock.advance(1);
    expect(await store.read(run.id)).toMatchObject({ status: 'done' });
  });

  it('resumes in another process, and suspends again when it is resumed early', async () => {
    const clock = fakeClock(1_000);
    const store = memoryStore();
    const first = createRuntime({ store, clock });
    const run = first.start(sleepy(), {});
    await clock.advance(0);
    await run.result;
    await first.close();
    const second = createRuntime({ store, clock, workflows: [sleepy()] });
    await clock.advance(hour / 2);
    expect(await inTime((await second.resume(run.id)).result, clock, 0)).toEqual({
      status: 'waiting',
      interrupts: [],
      wakeAt: 1_000 + hour,
    });
    await clock.advance(hour / 2);
    expect((await second.get(run.id)).result).toMatchObject({ status: 'done', output: 'a,b' });
    const entries = await store.journal(run.id);
    expect(entries.filter(({ kind }) => kind === 'timer-start')).toHaveLength(1);
  });

  it('uses none of its time limit while it is suspended', async () => {
    for (const delayMs of [hour, 4_000]) {
      const clock = fakeClock(1_000);
      const store = memoryStore();
      const workflow = logWorkflow({
        states: {
          a: node('a', [{ target: 'done', guard: 'enough' }, 'sleep']),
          sleep: later(delayMs, 'a'),
          done: final,
          failed: failure,
        },
        nodes: { a: async ({ count }) => ({ count: count + 1, log: [`${count}`] }) },
        guards: { enough: ({ count }) => count >= 6 },
      });
      const run = createRuntime({ store, clock }).start(workflow, {}, { limits: { wallTimeMs: 10_000 } });
      for (let i = 0; i < 8; i++) await clock.advance(delayMs);
      expect(await store.read(run.id)).toMatchObject({ status: 'done', activeMs: 0 });
    }
  });

  it('counts active time', async () => {
    const clock = fakeClock(1_000);
    const slow: LogHandler = () => new Promise((resolve) => void clock.schedule(20_000, () => resolve({ log: ['b'] })));
    const run = createRuntime({ clock }).start(sleepy(4_000, slow), {}, { limits: { wallTimeMs: 10_000 } });
    expect(await inTime(run.result, clock)).toMatchObject({ status: 'failed', error: { code: 'LIMIT_EXCEEDED' } });
  });

  it('is not suspended for a few seconds', async () => {
    const clock = fakeClock(1_000);
    const store = memoryStore();
    const run = createRuntime({ store, clock }).start(sleepy(5_000), {});
    expect(await inTime(run.result, clock)).toMatchObject({ status: 'done' });
    expect((await store.journal(run.id)).filter(({ kind }) => kind === 'settle')).toHaveLength(1);
  });

  it('stays active when a node runs beside the timer', async () => {
    const clock = fakeClock(1_000);
    const store = memoryStore();
    const work: LogHandler = () => new Promise((resolve) => void clock.schedule(60_000, () => resolve({ log: ['worked'] })));
    const region = (inner: object) => ({ initial: 's', states: { s: inner, end: final } });
    const workflow = logWorkflow({
      states: {
        both: { type: 'parallel', onDone: 'done', states: { left: region(node('work', 'end', 'end')), right: region(later(hour, 'end')) } },
        done: final,
      },
      nodes: { work },
    });
    const run = createRuntime({ store, clock }).start(workflow, {});
    await clock.advance(59_000);
    expect((await store.read(run.id))?.status).toBe('running');
    await clock.advance(1_000);
    expect(await store.read(run.id)).toMatchObject({ status: 'waiting', wakeAt: 1_000 + hour });
    await clock.advance(hour);
    expect(await store.read(run.id)).toMatchObject({ status: 'done' });
  });

  it('waits for a human and for a timer at once, and reports both', async () => {
    const clock = fakeClock(1_000);
    const workflow = logWorkflow({ states: { ask: waiting({ GO: 'done' }, { [hour]: 'done' }), done: final } });
    const run = createRuntime({ clock }).start(workflow, {});
    await clock.advance(0);
    expect(await run.result).toMatchObject({ status: 'waiting', interrupts: [{ accepts: ['GO'] }], wakeAt: 1_000 + hour });
  });
});
