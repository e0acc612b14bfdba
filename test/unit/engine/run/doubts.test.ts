// Calls in doubt where they meet other things: other steps, other calls in doubt, a second word, a timer.
import { createRuntime, memoryStore, type NodeIo, type Resolution, WorkflowError } from 'agent-machines';
import { fakeClock } from 'agent-machines/testing';
import { describe, expect, it } from 'vitest';
import { failure, final, type LogHandler, logWorkflow, node, waiting } from '../../../fixtures/log-workflow.ts';

const one = (a: LogHandler) => logWorkflow({ states: { a: node('a', 'done'), done: final, failed: failure }, nodes: { a } });
const once = { effect: 'once' } as const;
const cutOff = (): Promise<never> => Promise.reject(new WorkflowError({ code: 'CALL_IN_DOUBT', message: 'cut off' }));
const codeOf = (cause: unknown): unknown => (WorkflowError.isInstance(cause) ? cause.code : cause);

describe('a call in doubt', () => {
  it('suspends its run from inside another step, and the run continues after resolve', async () => {
    const store = memoryStore();
    const clock = fakeClock();
    const workflow = one(async (_state, io) => {
      const [paid] = await Promise.all([io.step('order', () => io.step('pay', cutOff, once)), io.step('other', async () => 'o')]);
      return { log: [paid] };
    });
    const runtime = createRuntime({ store, clock });
    const run = runtime.start(workflow, {});
    await clock.advance(60_000);
    expect(await run.result).toMatchObject({ status: 'in_doubt', calls: [{ callId: 'a#1/pay' }] });
    const later = createRuntime({ store, clock, workflows: [workflow] });
    const again = await later.resume(run.id);
    await clock.advance(60_000);
    expect(await again.result).toMatchObject({ status: 'in_doubt', calls: [{ callId: 'a#1/pay' }] });
    const settled = await later.resolve(run.id, 'a#1/pay', { as: 'done', output: 'paid' });
    expect(await settled.result).toMatchObject({ status: 'done', output: 'paid' });
  });

  it('does not cut off a running once call', async () => {
    const clock = fakeClock();
    const sent = Promise.withResolvers<string>();
    const workflow = one(async (_state, io) => {
      await Promise.all([io.step('pay', cutOff, once), io.step('send', () => sent.promise, once)]);
      return {};
    });
    const runtime = createRuntime({ clock });
    const run = runtime.start(workflow, {});
    await clock.advance(300_000);
    expect((await runtime.get(run.id)).status).toBe('running');
    sent.resolve('sent');
    expect(await run.result).toMatchObject({ status: 'in_doubt', calls: [{ callId: 'a#1/pay' }] });
    expect((await runtime.history(run.id)).find(({ key, kind }) => key === 'a#1/send' && kind === 'step')?.outcome).toEqual({
      output: 'sent',
    });
  });

  it('gets its own resolution when another call is resolved at the same time', async () => {
    const workflow = one(async (_state, io) => ({
      log: await Promise.all(['x', 'y', 'z'].map((key) => io.step<string>(key, cutOff, once))),
    }));
    const runtime = createRuntime();
    const run = runtime.start(workflow, {});
    await run.result;
    const words = ['z', 'x', 'y'].map((key) => runtime.resolve(run.id, `a#1/${key}`, { as: 'done', output: key }));
    const runs = await Promise.all(words);
    expect(await runs.at(-1)?.result).toMatchObject({ status: 'done', output: 'x,y,z' });
  });

  it('ignores the resolution of an earlier attempt', async () => {
    let calls = 0;
    const workflow = one(async (_state, io) => {
      await io.step(
        'pay',
        () => {
          calls++;
          return cutOff();
        },
        once,
      );
      return {};
    });
    const runtime = createRuntime();
    const run = runtime.start(workflow, {});
    await run.result;
    const retry: Resolution = { as: 'retry' };
    const [first, second] = await Promise.allSettled([1, 2].map(() => runtime.resolve(run.id, 'a#1/pay', retry)));
    expect(first?.status === 'fulfilled' && (await first.value.result).status).toBe('in_doubt');
    expect(second?.status === 'rejected' && codeOf(second.reason)).toBe('CALL_UNKNOWN');
    expect(calls).toBe(2);
  });

  it.each([
    ['started before it', { initial: 'y', states: { y: { after: { 60000: 'z' } }, z: final } }],
    ['started after it', { initial: 'x', states: { x: node('b', 'y', '#log.failed'), y: { after: { 60000: 'z' } }, z: final } }],
  ])('suspends its run beside a timer of another region on each resume: %s', async (_what, two) => {
    const states = {
      p: {
        type: 'parallel',
        states: { one: { initial: 'x', states: { x: node('a', 'z', '#log.failed'), z: final } }, two },
        onDone: 'done',
      },
      done: final,
      failed: failure,
    };
    const nodes = {
      a: async (_state: unknown, io: NodeIo) => ({ log: [await io.step<string>('pay', cutOff, once)] }),
      b: async (_state: unknown, io: NodeIo) => ({ log: [await io.step('look', async () => 'b')] }),
    };
    const store = memoryStore();
    const clock = fakeClock();
    const workflow = logWorkflow({ states, nodes: two.initial === 'y' ? { a: nodes.a } : nodes });
    const { id, result } = createRuntime({ store, clock }).start(workflow, {});
    await clock.advance(0);
    expect(await result).toMatchObject({ status: 'in_doubt' });
    for (let times = 0; times < 3; times++) {
      const again = await createRuntime({ store, clock, workflows: [workflow] }).resume(id);
      await clock.advance(0);
      expect(await again.result).toMatchObject({ status: 'in_doubt', calls: [{ callId: 'p.one.x#1/pay' }] });
    }
    const later = createRuntime({ store, clock, workflows: [workflow] });
    await later.resolve(id, 'p.one.x#1/pay', { as: 'done', output: 'paid' });
    await clock.advance(60_000);
    expect((await later.get(id)).result).toMatchObject({ status: 'done', output: expect.stringContaining('paid') });
  });

  it('leaves the timer of the run unchanged when the call does not exist', async () => {
    const clock = fakeClock();
    const runtime = createRuntime({ clock });
    const states = { ask: waiting({ STOP: 'done' }, { 60000: 'late' }), done: final, late: final };
    const run = runtime.start(logWorkflow({ states }), {});
    await run.result;
    await expect(runtime.resolve(run.id, 'ask#1/pay', { as: 'retry' })).rejects.toMatchObject({ code: 'CALL_UNKNOWN' });
    await expect(createRuntime({ clock }).resolve(run.id, 'ask#1/pay', { as: 'retry' })).rejects.toMatchObject({ code: 'RUN_UNKNOWN' });
    await clock.advance(60_000);
    expect((await runtime.get(run.id)).result).toMatchObject({ status: 'done', finalState: 'late' });
  });
});
