import { createRuntime, memoryStore } from 'agent-machines';
import { describe, expect, it } from 'vitest';
import { failure, final, type LogHandler, logWorkflow, node, says, waiting } from '../../../fixtures/log-workflow.ts';

const states = { a: node('a', 'b'), b: node('b', 'done'), done: final, failed: failure };

/** Two nodes; counts how often the first one runs. */
function counted(b: LogHandler = says('b')) {
  const calls = { a: 0 };
  const a: LogHandler = async () => {
    calls.a++;
    return { log: ['a'] };
  };
  return { calls, workflow: logWorkflow({ states, nodes: { a, b } }) };
}

/** A run that has reached its limit after its first node. */
async function limited(options: { readonly threadId?: string } = {}) {
  const { calls, workflow } = counted();
  const store = memoryStore();
  const runtime = createRuntime({ store, workflows: [workflow] });
  const run = runtime.start(workflow, {}, { ...options, limits: { nodeVisits: 1 } });
  expect(await run.result).toMatchObject({ status: 'failed', resumable: true, error: { code: 'LIMIT_EXCEEDED' } });
  return { calls, workflow, store, runtime, id: run.id };
}

describe('retry', () => {
  it('continues a failed run under its id, from its last committed step', async () => {
    const { calls, runtime, id } = await limited();
    const run = await runtime.retry(id, { limits: { nodeVisits: 9 } });
    expect(run.id).toBe(id);
    expect(await run.result).toEqual({ status: 'done', finalState: 'done', output: 'a,b' });
    expect(calls.a).toBe(1);
  });

  it('fails again, and can be called again, while the cause remains', async () => {
    const { runtime, id } = await limited();
    expect(await (await runtime.retry(id)).result).toMatchObject({ status: 'failed', error: { code: 'LIMIT_EXCEEDED' } });
    expect(await (await runtime.retry(id, { limits: { nodeVisits: 9 } })).result).toMatchObject({ status: 'done' });
  });

  it('shares one attempt between callers at the same time', async () => {
    const { calls, runtime, id } = await limited();
    const limits = { nodeVisits: 9 };
    const [one, two] = await Promise.all([runtime.retry(id, { limits }), runtime.retry(id, { limits })]);
    expect(await two.result).toEqual(await one.result);
    expect(calls.a).toBe(1);
  });

  it('drives the run once when two runtimes of one store call it', async () => {
    const { calls, workflow, store, runtime, id } = await limited();
    const other = createRuntime({ store, workflows: [workflow] });
    const limits = { nodeVisits: 9 };
    const ends = await Promise.allSettled([runtime, other].map(async (each) => (await each.retry(id, { limits })).result));
    expect(ends.some((end) => end.status === 'fulfilled' && end.value.status === 'done')).toBe(true);
    for (const end of ends) if (end.status === 'rejected') expect(end.reason.code).toMatch(/^RUN_(?:BUSY|ENDED|NOT_FAILED)$/);
    expect(calls.a).toBe(1);
  });

  it('refuses an end in a final state tagged failure, and writes nothing', async () => {
    const { workflow } = counted(async () => {
      throw new Error('no luck');
    });
    const store = memoryStore();
    const runtime = createRuntime({ store, workflows: [workflow] });
    const run = runtime.start(workflow, {});
    await run.result;
    const before = [await store.read(run.id), await store.journal(run.id)];
    await expect(runtime.retry(run.id)).rejects.toMatchObject({
      code: 'RUN_ENDED',
      hint: expect.stringContaining('fork'),
      data: { status: 'failed' },
    });
    expect([await store.read(run.id), await store.journal(run.id)]).toEqual(before);
  });

  it.each(['done', 'cancelled'] as const)('refuses a run that is %s', async (status) => {
    const { runtime, id } = await limited();
    if (status === 'cancelled') await runtime.cancel(id);
    else await (await runtime.retry(id, { limits: { nodeVisits: 9 } })).result;
    await expect(runtime.retry(id)).rejects.toMatchObject({ code: 'RUN_ENDED', data: { status } });
  });

  it('refuses a run that has not failed, with its status', async () => {
    const workflow = logWorkflow({ states: { ask: waiting({ SAY: 'done' }), done: final }, nodes: {} });
    const runtime = createRuntime();
    const run = runtime.start(workflow, {});
    await run.result;
    await expect(runtime.retry(run)).rejects.toMatchObject({ code: 'RUN_NOT_FAILED', data: { status: 'waiting' } });
    await expect(runtime.retry('r_unknown')).rejects.toMatchObject({ code: 'RUN_UNKNOWN' });
    await expect(runtime.retry(run, { force: true } as never)).rejects.toMatchObject({ code: 'OPTION_INVALID' });
  });

  it('refuses a run of another workflow when it is called on the runs of one', async () => {
    const { runtime, id } = await limited();
    const other = logWorkflow({ id: 'other', states, nodes: { a: says('a'), b: says('b') } });
    await expect(runtime.of(other).retry(id)).rejects.toMatchObject({ code: 'RUN_UNKNOWN' });
  });
});
