// The limits that a run was given are its own: whoever goes on with it, and however.
import {
  createRuntime,
  type Limits,
  memoryStore,
  type Run,
  type RunResult,
  type Runtime,
  type StartOptions,
  WorkflowError,
} from 'agent-machines';
import { crashingStore, fakeClock } from 'agent-machines/testing';
import { describe, expect, it } from 'vitest';
import { failure, final, logWorkflow, node, says, waiting } from '../../../fixtures/log-workflow.ts';

const workflow = logWorkflow({
  states: {
    a: node('a', 'ask'),
    ask: waiting({ STOP: 'b' }, { 60000: 'b' }),
    b: node('b', 'c'),
    c: node('c', 'done'),
    done: final,
    failed: failure,
  },
  nodes: { a: says('a'), b: says('b'), c: says('c') },
});
const doubtful = logWorkflow({
  id: 'doubtful',
  states: { a: node('a', 'b'), b: node('b', 'done'), done: final, failed: failure },
  nodes: {
    a: async (_state, io) => {
      await io.step('pay', () => Promise.reject(new WorkflowError({ code: 'CALL_IN_DOUBT', message: 'cut off' })), { effect: 'once' });
      return {};
    },
    b: says('b'),
  },
});

const setUp = () => {
  const store = memoryStore();
  const clock = fakeClock();
  const runtime = (): Runtime => createRuntime({ store, clock, workflows: [workflow, doubtful] });
  return { store, clock, runtime };
};
type Place = ReturnType<typeof setUp>;
const interruptOf = (result: RunResult<unknown>): string => (result.status === 'waiting' ? (result.interrupt?.id ?? '') : '');
const codeOf = (result: RunResult<unknown>): unknown =>
  result.status === 'failed' ? `${result.error.code} ${String(result.error.data?.limit)}` : result.status;

/** Ways to go on with a run that was started with these limits, all in a runtime that knows nothing of them. */
const ways: Readonly<Record<string, (place: Place, limits: Partial<Limits>) => Promise<Run<unknown> | undefined>>> = {
  async answer({ runtime }, limits) {
    const run = runtime().start(workflow, {}, { limits });
    return runtime().send(run.id, { type: 'STOP' }, { interruptId: interruptOf(await run.result) });
  },
  async timer({ runtime, clock }, limits) {
    const run = runtime().start(workflow, {}, { limits });
    await run.result;
    await clock.advance(60_000);
    return runtime().resume(run.id);
  },
  async 'recovery of a dead run'({ runtime, store, clock }, limits) {
    const run = createRuntime({ store: crashingStore(store, 1), clock }).start(workflow, {}, { limits });
    await run.result;
    const rest = await (await runtime().resume(run.id, { force: true })).result;
    return runtime().send(run.id, { type: 'STOP' }, { interruptId: interruptOf(rest) });
  },
  async fork({ runtime }, limits) {
    const run = runtime().start(workflow, {}, { limits });
    const forked = await runtime().fork(run.id, { at: (await run.result).status === 'waiting' ? 'a#1' : '' });
    return runtime().send(forked.id, { type: 'STOP' }, { interruptId: interruptOf(await forked.result) });
  },
  async 'word on a call in doubt'({ runtime }, limits) {
    const run = runtime().start(doubtful, {}, { limits });
    await run.result;
    return runtime().resolve(run.id, 'a#1/pay', { as: 'done', output: null });
  },
  async 'start under the same id'({ runtime, clock }, limits) {
    const options: StartOptions = { runId: 'mine', limits };
    await runtime().start(workflow, {}, options).result;
    await clock.advance(60_000);
    await runtime().resume('mine');
    return runtime().start(workflow, {}, options);
  },
};

describe('limits of a start', () => {
  it.each(Object.keys(ways))('still apply after: %s', async (way) => {
    const allowed = way === 'word on a call in doubt' ? 1 : 2;
    const run = await ways[way]?.(setUp(), { nodeVisits: allowed });
    expect(run && codeOf(await run.result)).toBe('LIMIT_EXCEEDED nodeVisits');
    const free = await ways[way]?.(setUp(), { nodeVisits: 3, tokens: Number.POSITIVE_INFINITY });
    expect(free && codeOf(await free.result)).toBe('done');
  });

  it('are raised permanently by a resume or a fork', async () => {
    const { runtime, store } = setUp();
    const run = runtime().start(workflow, {}, { limits: { nodeVisits: 0.5 } });
    await run.result;
    const raised = await (await runtime().resume(run.id, { limits: { nodeVisits: 2 } })).result;
    const forked = await runtime().fork(run.id, { at: 'a#1', patch: {}, limits: { nodeVisits: 3 } });
    for (const [id, result, ends] of [
      [run.id, raised, 'LIMIT_EXCEEDED nodeVisits'],
      [forked.id, await forked.result, 'done'],
    ] as const) {
      const answered = await runtime().send(id, { type: 'STOP' }, { interruptId: interruptOf(result) });
      expect(codeOf(await answered.result)).toBe(ends);
    }
    expect((await store.journal(run.id)).filter(({ kind }) => kind === 'limits').map(({ outcome }) => outcome)).toEqual([
      { nodeVisits: 2 },
    ]);
  });
});
