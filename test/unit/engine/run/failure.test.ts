import { createRuntime, memoryStore, outputOf, type RunEvent, subWorkflow, type Workflow } from 'agent-machines';
import { describe, expect, it } from 'vitest';
import { createActor, toPromise } from 'xstate';
import { failure, final, logWorkflow, node, says } from '../../../fixtures/log-workflow.ts';

const throws = async (): Promise<never> => {
  throw new Error('the model is dead');
};
async function eventsOf(source: AsyncIterable<RunEvent>): Promise<readonly RunEvent[]> {
  const events: RunEvent[] = [];
  for await (const event of source) events.push(event);
  return events;
}
const both = [undefined, 'xstate'] as const;

/** a → done, or after its error b → failed. */
const handled = (engine?: 'xstate') =>
  logWorkflow({
    states: { a: node('a', 'done', 'b'), b: node('b', 'failed'), done: final, failed: failure },
    nodes: { a: throws, b: says('sorry') },
    ...(engine ? { engine } : {}),
  });
/** a → failed, by its done edge. */
const gaveUp = (engine?: 'xstate') =>
  logWorkflow({
    id: 'tired',
    states: { a: node('a', [{ target: 'failed', guard: 'tired' }, 'done']), done: final, failed: failure },
    nodes: { a: says('enough') },
    guards: { tired: ({ log }) => log.length > 0 },
    ...(engine ? { engine } : {}),
  });

describe.each(both)('a final state with the tag failure (%s)', (engine) => {
  it('returns the error of the last error edge', async () => {
    const runtime = createRuntime();
    const run = runtime.start(handled(engine), {});
    const dead = { name: 'Error', code: 'NODE_FAILED', message: 'the model is dead', retryable: false, data: { node: 'a' } };
    const result = {
      status: 'failed',
      error: dead,
      resumable: false,
      finalState: 'failed',
      output: 'NODE_FAILED: the model is dead,sorry',
    };
    expect(await run.result).toEqual(result);
    expect((await runtime.get(run.id)).result).toEqual(result);
    expect(await (await runtime.resume(run.id)).result).toEqual(result);
    const events: RunEvent[] = [];
    for await (const event of runtime.events(run.id)) events.push(event);
    expect(events.at(-1)).toMatchObject({ type: 'run-end', status: 'failed', error: dead, resumable: false, finalState: 'failed' });
  });

  it('names the state when no node has thrown', async () => {
    const runtime = createRuntime();
    const run = runtime.start(gaveUp(engine), {});
    expect(await run.result).toMatchObject({
      status: 'failed',
      resumable: false,
      finalState: 'failed',
      error: { code: 'WORKFLOW_FAILED', data: { state: 'failed' } },
    });
  });

  it('is the only one with a failure in its result', async () => {
    const states = { a: node('a', 'b', 'b'), b: node('b', 'done'), done: final, failed: failure };
    const run = createRuntime().start(logWorkflow({ states, nodes: { a: throws, b: says('b') }, ...(engine ? { engine } : {}) }), {});
    expect(await run.result).toEqual({ status: 'done', finalState: 'done', output: 'NODE_FAILED: the model is dead,b' });
  });
});

describe('the failure of a run', () => {
  it('is listed', async () => {
    const runtime = createRuntime({ store: memoryStore() });
    const workflow = handled();
    await runtime.start(workflow, {}).result;
    await runtime.start(gaveUp(), {}).result;
    await runtime.start(workflow, {}, { limits: { nodeVisits: 1 } }).result;
    const ends = (await runtime.list()).map(({ status, resumable, failure: code }) => [status, resumable, code]).reverse();
    expect(ends).toEqual([
      ['failed', false, 'NODE_FAILED'],
      ['failed', false, 'WORKFLOW_FAILED'],
      ['failed', true, 'LIMIT_EXCEEDED'],
    ]);
  });

  it('is filtered before the limit is applied', async () => {
    const runtime = createRuntime({ store: memoryStore() });
    const ok = logWorkflow({ states: { a: node('a', 'done'), done: final, failed: failure }, nodes: { a: says('a') } });
    const gone = runtime.start(gaveUp(), {});
    await gone.result;
    for (let turn = 0; turn < 5; turn++) await runtime.start(ok, {}).result;
    expect((await runtime.list({ status: 'failed', limit: 1 })).map(({ id }) => id)).toEqual([gone.id]);
    expect(await runtime.list({ status: 'done' })).toHaveLength(5);
  });

  it('is stored as before, and read the same live and from the store', async () => {
    const store = memoryStore();
    const runtime = createRuntime({ store });
    const run = runtime.start(gaveUp(), {});
    const live = await eventsOf(run.events());
    const settled = (await store.journal(run.id)).at(-1);
    expect(settled?.outcome).toMatchObject({ status: 'done', failure: { code: 'WORKFLOW_FAILED' } });
    expect(settled?.events.at(-1)).toMatchObject({ type: 'run-end', status: 'done', failure: { code: 'WORKFLOW_FAILED' } });
    expect(await store.read(run.id)).toMatchObject({ status: 'done', failure: 'WORKFLOW_FAILED' });
    const later = createRuntime({ store, workflows: [gaveUp()] });
    expect(await eventsOf(later.events(run.id))).toEqual(live);
    expect((await later.history(run.id)).flatMap(({ events }) => events)).toEqual(live);
    expect(await later.get(run.id)).toMatchObject({ status: 'failed', resumable: false, result: await run.result });
    await expect(later.cancel(run.id)).rejects.toMatchObject({ code: 'RUN_ENDED', data: { status: 'failed' } });
    await expect(outputOf(await later.resume(run.id))).rejects.toMatchObject({ code: 'WORKFLOW_FAILED' });
  });

  it('reaches the outer workflow', async () => {
    const outer = (inner: Workflow<{ readonly log?: readonly string[] }, unknown, string>) =>
      logWorkflow({
        states: { a: node('a', 'done'), done: final, failed: failure },
        nodes: { a: subWorkflow(inner, { toInput: () => ({}), toPatch: (end) => ({ log: [end.failure?.code ?? 'none'] }) }) as never },
      });
    expect(await createRuntime().start(outer(handled() as never), {}).result).toMatchObject({ finalState: 'done', output: 'NODE_FAILED' });
    const live = createActor(outer(handled() as never).machine, { input: {} });
    live.start();
    expect(await toPromise(live)).toBe('WORKFLOW_FAILED'); // a live actor keeps no errors
  });
});
