// Runs that begin with the state that an earlier run of their thread has left.
import { createRuntime, memoryStore, type RunResult, type RunStore } from 'agent-machines';
import { sqliteStore } from 'agent-machines/stores/sqlite';
import { describe, expect, it } from 'vitest';
import {
  failure,
  final,
  hangs,
  type LogHandler,
  type LogThread,
  logWorkflow,
  node,
  says,
  waiting,
} from '../../../fixtures/log-workflow.ts';

const thread = {
  initial: [] as LogThread,
  next: (_before: LogThread, { state }: { state: { log: readonly string[] } }): LogThread => [...state.log],
};
const talk = (a: LogHandler = says('a')) =>
  logWorkflow({ states: { a: node('a', 'done'), done: final, failed: failure }, nodes: { a }, thread });
const stores: readonly [name: string, make: () => RunStore][] = [
  ['memory', () => memoryStore()],
  ['SQLite', () => sqliteStore({ path: ':memory:' })],
];
const outputOf = (result: RunResult<unknown>): unknown => (result.status === 'done' ? result.output : result);

describe.each(stores)('a run after an earlier one, in %s', (_, make) => {
  const open = () => {
    const store = make();
    const workflow = talk();
    const runtime = createRuntime({ store, workflows: [workflow] });
    const say = async (text: string, after?: string | null, runId?: string) => {
      const branch = { ...(after === undefined ? {} : { after }), ...(runId === undefined ? {} : { runId }) };
      const run = runtime.start(workflow, { log: [text] }, { threadId: 't', ...branch });
      return { id: run.id, output: outputOf(await run.result) };
    };
    return { store, runtime, workflow, say };
  };

  it('begins with the state that run has left, and the thread continues from it', async () => {
    const { runtime, say } = open();
    const one = await say('1');
    const two = await say('2');
    const other = await say('2b', one.id);
    expect([two.output, other.output]).toEqual(['1,a,2,a', '1,a,2b,a']);
    expect((await say('3')).output).toBe('1,a,2b,a,3,a');
    const back = await say('3b', two.id);
    expect(back.output).toBe('1,a,2,a,3b,a');
    expect((await say('0', null)).output).toBe('0,a');
    expect(await runtime.thread('t')).toMatchObject({ state: ['0', 'a'], revision: 6 });
    expect([(await runtime.get(other.id)).after, (await runtime.get(two.id)).after]).toEqual([one.id, undefined]);
    const fork = await runtime.fork(back.id, { at: 'a#1' });
    expect(outputOf(await fork.result)).toBe('1,a,2,a,3b,a');
  });

  it('restores a state between branches', async () => {
    const { runtime, say } = open();
    const one = await say('1');
    await say('2');
    await say('2b', one.id);
    const three = await say('3');
    await say('4');
    const fork = await runtime.fork(three.id, { at: 'a#1' });
    expect(outputOf(await fork.result)).toBe('1,a,2b,a,3,a');
    expect((await say('5', three.id)).output).toBe('1,a,2b,a,3,a,5,a');
  });

  it('is one run under one id, and no other', async () => {
    const { runtime, say } = open();
    const one = await say('1');
    await say('2');
    await say('2b', one.id, 'r_x');
    expect((await say('2b', one.id, 'r_x')).output).toBe('1,a,2b,a');
    expect((await say('2b', null, 'r_x')).output).toMatchObject({ status: 'failed', error: { code: 'RUN_EXISTS' } });
    expect(await runtime.list()).toHaveLength(3);
  });

  it('is refused after an unknown run, a run of another thread or one that has not ended', async () => {
    const { runtime, workflow, say } = open();
    await say('1');
    const elsewhere = runtime.start(workflow, { log: ['x'] }, { threadId: 'other' });
    await elsewhere.result;
    for (const after of ['r_unknown', elsewhere.id])
      expect((await say('2', after)).output).toMatchObject({ status: 'failed', error: { code: 'RUN_UNKNOWN' } });
    const states = { a: node('a', 'ask'), ask: waiting({ GO: 'done' }), done: final, failed: failure };
    const asks = logWorkflow({ id: 'asks', states, nodes: { a: says('a') }, thread });
    const asking = runtime.start(asks, { log: [] }, { threadId: 'asked' });
    await asking.result;
    const next = runtime.start(asks, { log: [] }, { threadId: 'asked', after: asking.id });
    expect(await next.result).toMatchObject({ status: 'failed', error: { code: 'THREAD_BUSY' } });
    expect(() => runtime.start(workflow, { log: [] }, { after: null })).toThrow(expect.objectContaining({ code: 'OPTION_INVALID' }));
    expect(() => runtime.start(workflow, { log: [] }, { threadId: 't', after: '../x' })).toThrow(
      expect.objectContaining({ code: 'ID_INVALID' }),
    );
    expect(await runtime.list()).toHaveLength(3);
  });

  it('that is cancelled leaves the thread as it was', async () => {
    const { store, runtime, say } = open();
    const one = await say('1');
    await say('2');
    const slow = talk(hangs);
    const other = createRuntime({ store, workflows: [slow] });
    const cancelled = other.start(slow, { log: ['2b'] }, { threadId: 't', after: one.id });
    for await (const event of cancelled.events()) if (event.type === 'node-start') break;
    await other.cancel(cancelled.id);
    expect(await runtime.thread('t')).toMatchObject({ state: ['1', 'a', '2', 'a'], revision: 2 });
    expect((await say('3', cancelled.id)).output).toBe('1,a,3,a');
  });
});
