// A run that has crashed its process three times: shown as parked, with its last error, and released.
import { createRuntime, memoryStore, type RunStore } from 'agent-machines';
import { describe, expect, it } from 'vitest';
import { crashRun } from '../../../fixtures/crash-run.ts';
import { final, hangs, type LogHandler, logWorkflow, node, says } from '../../../fixtures/log-workflow.ts';

/** a fails → b, where the process dies. */
const dying = (b: LogHandler) =>
  logWorkflow({
    states: { a: node('a', 'b', 'b'), b: node('b', 'done'), done: final, failed: final },
    nodes: {
      a: async () => {
        throw new Error('no seat left');
      },
      b,
    },
  });

async function parked(store: RunStore, times = 3): Promise<string> {
  const run = createRuntime({ store }).start(dying(hangs), {});
  for await (const event of run.events()) if (event.type === 'node-start' && event.key === 'b#1') break;
  await crashRun(store, run.id, times);
  return run.id;
}

describe('a parked run', () => {
  it('is shown as parked, with its last error, in a list and by its id', async () => {
    const store = memoryStore();
    const id = await parked(store);
    const runtime = createRuntime({ store, workflows: [dying(says('b'))] });
    const because = {
      code: 'RUN_POISONED',
      message: expect.stringMatching(
        /is parked because it crashed its process 3 times after entry 2 \(a#1\)\. Its last error was NODE_FAILED: no seat left/,
      ),
      data: { runId: id, crashes: 3, lastError: { code: 'NODE_FAILED' } },
    };
    expect((await runtime.list())[0]).toMatchObject({ id, status: 'running', parked: because });
    expect(await runtime.get(id)).toMatchObject({ id, status: 'running', parked: because });
    await expect(runtime.resume(id)).rejects.toMatchObject(because);
  });

  it('is skipped by recover until it is released, and resumed after that', async () => {
    const store = memoryStore();
    const id = await parked(store);
    const runtime = createRuntime({ store, workflows: [dying(says('b'))] });
    expect((await runtime.recover()).taken).toEqual([]);
    await runtime.release(id);
    expect((await runtime.get(id)).parked).toBeUndefined();
    const { taken } = await runtime.recover();
    expect(await taken[0]?.run.result).toMatchObject({ status: 'done', output: 'NODE_FAILED: no seat left,b' });
  });

  it('is not reported for fewer crashes or for a driven run', async () => {
    const store = memoryStore();
    const id = await parked(store, 2);
    const runtime = createRuntime({ store, workflows: [dying(hangs)] });
    expect([(await runtime.list())[0]?.parked, (await runtime.get(id)).parked]).toEqual([undefined, undefined]);
    const before = await store.read(id);
    await runtime.release(id);
    expect(await store.read(id)).toEqual(before);
    await crashRun(store, id, 1);
    await runtime.resume(id, { force: true });
    expect([(await runtime.list())[0]?.parked, (await runtime.get(id)).parked]).toEqual([undefined, undefined]);
    await expect(runtime.release('r_nobody')).rejects.toMatchObject({ code: 'RUN_UNKNOWN' });
    await runtime.close();
  });
});
