import { createRuntime, memoryStore, type RunEvent, subWorkflow, type Workflow } from 'agent-machines';
import { describe, expect, it } from 'vitest';
import { createActor, toPromise } from 'xstate';
import { failure, final, logWorkflow, node, says } from '../../../fixtures/log-workflow.ts';

const throws = async (): Promise<never> => {
  throw new Error('the model is dead');
};
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
    const dead = { name: 'Error', code: 'UNKNOWN', message: 'the model is dead', retryable: false };
    const result = { status: 'done', finalState: 'failed', output: 'UNKNOWN: the model is dead,sorry', failure: dead };
    expect(await run.result).toEqual(result);
    expect((await runtime.get(run.id)).result).toEqual(result);
    expect(await (await runtime.resume(run.id)).result).toEqual(result);
    const events: RunEvent[] = [];
    for await (const event of runtime.events(run.id)) events.push(event);
    expect(events.at(-1)).toMatchObject({ type: 'run-end', status: 'done', finalState: 'failed', failure: dead });
  });

  it('names the state when no node has thrown', async () => {
    const runtime = createRuntime();
    const run = runtime.start(gaveUp(engine), {});
    expect(await run.result).toMatchObject({
      status: 'done',
      finalState: 'failed',
      failure: { code: 'WORKFLOW_FAILED', data: { state: 'failed' } },
    });
  });

  it('is the only one with a failure in its result', async () => {
    const states = { a: node('a', 'b', 'b'), b: node('b', 'done'), done: final, failed: failure };
    const run = createRuntime().start(logWorkflow({ states, nodes: { a: throws, b: says('b') }, ...(engine ? { engine } : {}) }), {});
    expect(await run.result).toEqual({ status: 'done', finalState: 'done', output: 'UNKNOWN: the model is dead,b' });
  });
});

describe('the failure of a run', () => {
  it('is listed', async () => {
    const runtime = createRuntime({ store: memoryStore() });
    const workflow = handled();
    await runtime.start(workflow, {}).result;
    await runtime.start(gaveUp(), {}).result;
    await runtime.start(workflow, {}, { limits: { nodeVisits: 1 } }).result;
    const ends = (await runtime.list()).map(({ status, failure: code }) => [status, code]).reverse();
    expect(ends).toEqual([
      ['done', 'UNKNOWN'],
      ['done', 'WORKFLOW_FAILED'],
      ['failed', 'LIMIT_EXCEEDED'],
    ]);
  });

  it('reaches the outer workflow', async () => {
    const outer = (inner: Workflow<{ readonly log?: readonly string[] }, unknown, string>) =>
      logWorkflow({
        states: { a: node('a', 'done'), done: final, failed: failure },
        nodes: { a: subWorkflow(inner, { toInput: () => ({}), toPatch: (end) => ({ log: [end.failure?.code ?? 'none'] }) }) as never },
      });
    expect(await createRuntime().start(outer(handled() as never), {}).result).toMatchObject({ finalState: 'done', output: 'UNKNOWN' });
    const live = createActor(outer(handled() as never).machine, { input: {} });
    live.start();
    expect(await toPromise(live)).toBe('WORKFLOW_FAILED'); // a live actor keeps no errors
  });
});
