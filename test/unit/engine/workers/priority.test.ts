// Which of the runs that nobody drives goes on first.
import { createRuntime, createWorker, memoryStore, type RunStore, type Runtime } from 'agent-machines';
import { restateRuns } from 'agent-machines/stores';
import { sqliteStore } from 'agent-machines/stores/sqlite';
import { fakeClock } from 'agent-machines/testing';
import { describe, expect, it } from 'vitest';
import { failure, final, type LogHandler, logWorkflow, node } from '../../../fixtures/log-workflow.ts';

const workflow = (a: LogHandler) => logWorkflow({ states: { a: node('a', 'done'), done: final, failed: failure }, nodes: { a } });

interface Given {
  readonly runId: string;
  readonly priority?: number;
}

/** Leaves runs behind that somebody has to go on with. */
async function leftBehind(store: RunStore, runs: readonly Given[]): Promise<void> {
  const runtime = createRuntime({ store });
  const hangs = workflow((_, { signal }) => new Promise((__, reject) => signal.addEventListener('abort', () => reject(signal.reason))));
  for (const { runId, ...options } of runs) {
    const run = runtime.start(hangs, {}, { runId, ...options });
    for await (const event of run.events()) if (event.type === 'run-start') break;
  }
  await runtime.close();
}

/** The order in which a worker with room for one takes them. */
async function orderOf(store: RunStore): Promise<readonly string[]> {
  const clock = fakeClock(Date.now() + 1_000);
  const taken: string[] = [];
  const worker = createWorker({
    store,
    clock,
    workflows: [workflow(async () => ({}))],
    concurrency: 1,
    onEvent: (event) => event.type === 'taken' && taken.push(event.runId),
  });
  const isDone = async (): Promise<boolean> => (await store.list({})).every(({ status }) => status === 'done');
  for (let tick = 0; tick < 1_000 && !(await isDone()); tick++) await clock.advance(100);
  await worker.close();
  return taken;
}

describe.each([
  { name: 'in memory', open: memoryStore },
  { name: 'in SQLite', open: () => sqliteStore({ path: ':memory:' }) },
])('runs without an owner, $name', ({ open }) => {
  it('resume in the order of priority, then of age', async () => {
    const store = open();
    const urgent = { c: 5, b: -3, d: 0, e: 5 } as const;
    await leftBehind(store, [{ runId: 'a' }, ...(['b', 'c', 'd', 'e'] as const).map((runId) => ({ runId, priority: urgent[runId] }))]);
    expect(await orderOf(store)).toEqual(['c', 'e', 'a', 'd', 'b']);
    await store.close();
  });
});

describe('a priority', () => {
  const quick = workflow(async () => ({}));
  const start = (runtime: Runtime, priority: unknown) => runtime.start(quick, {}, { priority: priority as number });

  it.each([[101], [-101], [0.5], [Number.NaN], [Number.POSITIVE_INFINITY], ['1'], [null]])('rejects %j', (priority) => {
    expect(() => start(createRuntime(), priority)).toThrow(
      expect.objectContaining({ code: 'OPTION_INVALID', message: expect.stringContaining('from -100 to 100') }),
    );
  });

  it('is unsupported on Restate, with a named error', async () => {
    const started = restateRuns({ ingress: 'http://localhost:1' }).start('log', {}, { priority: 1 });
    await expect(started).rejects.toMatchObject({ code: 'OPTION_INVALID', message: expect.stringContaining('Restate') });
  });

  it.each([{ runId: 'r_fork' }, {}])('is inherited by a fork, and by its forks: %j', async (named) => {
    const runtime = createRuntime();
    const run = start(runtime, -7);
    await run.result;
    const fork = await runtime.fork(run.id, { at: 'a#1', ...named });
    await fork.result;
    const again = await runtime.fork(fork.id, { at: 'a#1' });
    await again.result;
    expect([(await runtime.get(fork.id)).priority, (await runtime.get(again.id)).priority]).toEqual([-7, -7]);
  });

  it('is shown with the run unless it is 0', async () => {
    const runtime = createRuntime();
    for (const [given, told] of [[7, 7] as const, [-100, -100] as const, [0, undefined] as const, [undefined, undefined] as const]) {
      const run = start(runtime, given);
      await run.result;
      expect((await runtime.get(run.id)).priority).toBe(told);
    }
  });
});
