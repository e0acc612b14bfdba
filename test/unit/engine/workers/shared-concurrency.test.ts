// Workers in several processes, which share one store and what may be at work on it.
import { createRuntime, createWorker, memoryStore } from 'agent-machines';
import { fakeClock } from 'agent-machines/testing';
import { describe, expect, it } from 'vitest';
import { mostAtWork } from '../../../fixtures/bounded-workers.ts';
import { failure, final, logWorkflow, node, waiting } from '../../../fixtures/log-workflow.ts';
import { share } from '../../../fixtures/share.ts';
import { sqliteFiles } from '../../../fixtures/sqlite-files.ts';

const { newPath, openStore } = sqliteFiles('shared-concurrency-');

describe('workers on one SQLite file', () => {
  it.each([
    { of: 'of a workflow', concurrency: { total: 4, perWorkflow: 2, perKey: 99 }, kills: share(2, 1), expected: { ofWorkflow: 2 } },
    { of: 'of a key', concurrency: { total: 4, perKey: 1 }, kills: 0, expected: { ofKey: 1, ofAll: 2 } },
  ])(
    'run at most the limit of $of when some of them are killed',
    async ({ concurrency, kills, expected }) => {
      const place = newPath();
      const found = await mostAtWork({ place, store: openStore(place), file: newPath(), concurrency, workers: 3, kills });
      expect(found).toMatchObject(expected);
      expect(found.killedAtWork).toBeGreaterThanOrEqual(kills);
    },
    120_000,
  );

  it('run up to their own limits when the limits apply per worker', async () => {
    const place = newPath();
    const concurrency = { total: 4, perWorkflow: 1, perKey: 99, across: 'worker' } as const;
    const { ofWorkflow } = await mostAtWork({ place, store: openStore(place), file: newPath(), concurrency, workers: 3, kills: 0 });
    expect(ofWorkflow).toBeGreaterThan(1);
  }, 120_000);
});

describe('two workers on one store with a limit of one run per workflow', () => {
  it('drive one run at a time when all timers of one process are due at once', async () => {
    const clock = fakeClock(1_000);
    const store = memoryStore();
    const states = {
      nap: waiting({ GO: 'a' }, { 500: { target: 'a', actions: 'merge' } }),
      a: node('a', 'done'),
      done: final,
      failed: failure,
    };
    let atWork = 0;
    let most = 0;
    const napping = logWorkflow({
      id: 'napping',
      initial: 'nap',
      states,
      nodes: {
        a: async () => {
          most = Math.max(most, ++atWork);
          await new Promise<void>((resolve) => clock.schedule(300, resolve));
          atWork--;
          return {};
        },
      },
    });
    const options = { store, clock, workflows: [napping], concurrency: { total: 8, perWorkflow: 1 }, pollMs: 50 };
    const runtime = createRuntime({ store, clock, workflows: [napping] });
    const workers = [createWorker({ ...options, runtime }), createWorker(options)];
    await clock.advance(100);
    const runs = Array.from({ length: 5 }, () => runtime.start(napping, {}));
    expect(await Promise.all(runs.map(async ({ result }) => (await result).status))).toEqual(Array(5).fill('waiting'));
    const isDone = async (): Promise<boolean> => (await store.list({ status: 'done' })).length === 5;
    for (let tick = 0; tick < 300 && !(await isDone()); tick++) await clock.advance(50);
    expect([await isDone(), most]).toEqual([true, 1]);
    await Promise.all(workers.map((worker) => worker.close()));
    await runtime.close();
  });
});
