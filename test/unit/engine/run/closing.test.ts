// A runtime that is closed while something begins: nothing is driven behind its back, and nothing is lost.
import { createRuntime, memoryStore, type Runtime, WorkflowError } from 'agent-machines';
import { fakeClock } from 'agent-machines/testing';
import { describe, expect, it } from 'vitest';
import { final, hangs, logWorkflow, node, waiting } from '../../../fixtures/log-workflow.ts';

const codeOf = (cause: unknown): unknown => (WorkflowError.isInstance(cause) ? cause.code : cause);

/** A workflow that counts what it does after `count.from()`. */
function counting() {
  const count = { isCounted: false, calls: 0 };
  const work = async () => {
    if (count.isCounted) count.calls++;
    return {};
  };
  const states = { a: node('a', 'ask'), ask: waiting({ STOP: 'b' }), b: node('b', 'done'), done: final, failed: final };
  return { count, workflow: logWorkflow({ states, nodes: { a: work, b: work } }) };
}

/** A run that waits, and one that was handed over. */
async function prepared() {
  const store = memoryStore();
  const { count, workflow } = counting();
  const before = createRuntime({ store });
  const asking = before.start(workflow, {});
  const result = await asking.result;
  const interruptId = result.status === 'waiting' ? (result.interrupt?.id ?? '') : '';
  const put = before.start(workflow, {});
  await before.close();
  await put.result;
  return { store, count, workflow, asking: asking.id, put: put.id, interruptId };
}
type Prepared = Awaited<ReturnType<typeof prepared>>;

const ways: Readonly<Record<string, (runtime: Runtime, given: Prepared) => Promise<unknown>>> = {
  start: (runtime, { workflow }) => runtime.start(workflow, {}).result,
  'start with an id': (runtime, { workflow }) => runtime.start(workflow, {}, { runId: 'mine' }).result,
  resume: async (runtime, { put }) => (await runtime.resume(put)).result,
  send: async (runtime, { asking, interruptId }) => (await runtime.send(asking, { type: 'STOP' }, { interruptId })).result,
  fork: async (runtime, { asking }) => (await runtime.fork(asking, { at: 'a#1' })).result,
  recover: (runtime) => runtime.recover(),
};

describe('a runtime that closes during a start', () => {
  it.each(Object.keys(ways))('drives no run after its close: %s', async (way) => {
    const given = await prepared();
    const { store, count, workflow } = given;
    for (let turns = 0; turns < 40; turns++) {
      count.isCounted = false;
      const runtime = createRuntime({ store, workflows: [workflow] });
      const begun = ways[way]?.(runtime, given).catch(codeOf);
      for (let turn = 0; turn < turns; turn++) await null;
      await runtime.close();
      count.isCounted = true;
      await begun;
      const { length } = await store.list({ status: 'running' });
      expect([turns, count.calls, length]).toEqual([turns, 0, 0]);
    }
  });

  it('does not wait for a lease that it watches', async () => {
    const store = memoryStore();
    const { workflow } = counting();
    const run = createRuntime({ store }).start(workflow, {});
    await run.result;
    const looked = Promise.withResolvers<void>();
    const acquire = (): never => {
      looked.resolve();
      throw new WorkflowError({ code: 'RUN_BUSY', message: 'busy', data: { ownerMayBeGone: true, waitMs: 30_000 } });
    };
    const runtime = createRuntime({ store: { ...store, acquire }, clock: fakeClock(), workflows: [workflow] });
    const resumed = runtime.resume(run.id).catch(codeOf);
    await looked.promise;
    await runtime.close();
    expect(await resumed).toBe('RUNTIME_CLOSED');
  });
});

describe("a run with the caller's id", () => {
  it.each(['cancel', 'pause'] as const)('accepts %s immediately after its start', async (method) => {
    const store = memoryStore();
    const workflow = logWorkflow({ states: { a: node('a', 'done'), done: final, failed: final }, nodes: { a: hangs } });
    const runtime = createRuntime({ store });
    const run = runtime.start(workflow, {}, { runId: 'mine' });
    await runtime[method]('mine');
    const status = method === 'cancel' ? 'cancelled' : 'paused';
    expect([await run.result, (await store.read('mine'))?.status]).toEqual([{ status }, status]);
  });

  it('has events immediately after its start', async () => {
    const { workflow } = counting();
    const runtime = createRuntime();
    runtime.start(workflow, {}, { runId: 'mine' });
    const types = [];
    for await (const { type } of runtime.events('mine')) types.push(type);
    expect(types).toEqual(['run-start', 'node-start', 'node-end', 'edge', 'interrupt']);
  });
});

describe('close with drainMs', () => {
  it('waits for the runs in progress, and suspends those that take longer', async () => {
    const clock = fakeClock();
    const store = memoryStore();
    const { promise: written, resolve: write } = Promise.withResolvers<object>();
    const states = { a: node('a', 'done'), done: final, failed: final };
    const quick = logWorkflow({ id: 'quick', states, nodes: { a: () => written } });
    const slow = logWorkflow({ id: 'slow', states, nodes: { a: hangs } });
    const runtime = createRuntime({ store, clock });
    const ending = runtime.start(quick, {});
    const hanging = runtime.start(slow, {});
    for await (const { type } of hanging.events()) if (type === 'node-start') break;
    let isClosed = false;
    const closed = runtime.close({ drainMs: 5_000 }).then(() => {
      isClosed = true;
    });
    write({});
    expect(await ending.result).toMatchObject({ status: 'done' });
    await clock.advance(4_999);
    expect([isClosed, (await runtime.get(hanging.id)).status]).toEqual([false, 'running']);
    await clock.advance(1);
    await closed;
    expect(await hanging.result).toEqual({ status: 'paused' });
  });

  it('rejects a drainMs that is not a number from 0', async () => {
    await expect(createRuntime().close({ drainMs: -1 })).rejects.toMatchObject({ code: 'OPTION_INVALID' });
  });
});
