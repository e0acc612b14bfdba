import { createRuntime, memoryStore } from 'agent-machines';
import { describe, expect, it } from 'vitest';
import { startChild } from '../../../fixtures/child.ts';
import { failure, final, hangs, type LogHandler, logWorkflow, node } from '../../../fixtures/log-workflow.ts';

const one = (a: LogHandler) => logWorkflow({ states: { a: node('a', 'done'), done: final, failed: failure }, nodes: { a } });
const gate = () => Promise.withResolvers<void>();

describe.each([
  ['cancel', 'cancelled'],
  ['pause', 'paused'],
  ['close', 'paused'],
])('a process with several running steps', (how, status) => {
  it(`survives ${how} of a node, whatever the shape`, async () => {
    const child = startChild('step-shapes-process.ts', [how]);
    await child.ended;
    const ends = child.lines.slice(0, -1);
    expect(child.lines.at(-1)).toBe('alive');
    expect(ends).toHaveLength(20);
    expect(ends.filter((line) => !line.endsWith(`: ${status}`))).toEqual([]);
  });
});

describe('a step that is not awaited', () => {
  it('ends before its node ends', async () => {
    const [begun, go] = [gate(), gate()];
    const store = memoryStore();
    const workflow = one(async (_state, io) => {
      void io.step('slow', async () => {
        begun.resolve();
        await go.promise;
        return 1;
      });
      return { log: ['a'] };
    });
    const run = createRuntime({ store }).start(workflow, {});
    await begun.promise;
    expect((await store.read(run.id))?.status).toBe('running');
    go.resolve();
    expect(await run.result).toMatchObject({ finalState: 'done', output: 'a' });
    expect((await store.journal(run.id)).map(({ key }) => key)).toEqual(['run', 'a#1/slow', 'a#1', 'run']);
  });

  it('fails its running or finished node when it fails', async () => {
    for (const late of [true, false]) {
      const workflow = one(async (_state, io) => {
        void io.step('audit', async () => {
          throw new Error('no room');
        });
        if (!late) await io.step('other', async () => 1);
        return { log: ['a'] };
      });
      expect(await createRuntime().start(workflow, {}).result).toMatchObject({ finalState: 'failed', error: { message: 'no room' } });
    }
  });

  it('does not fail its node when its error is handled', async () => {
    const fails = async (): Promise<number> => {
      throw new Error('no');
    };
    const looks: Readonly<Record<string, LogHandler>> = {
      caught: async (_state, io) => ({ log: [await io.step('a', fails).catch(() => 'caught')] as string[] }),
      settled: async (_state, io) => ({ log: [(await Promise.allSettled([io.step('a', fails), io.step('b', fails)])).length] as never }),
      first: async (_state, io) => ({ log: [String(await Promise.any([io.step('a', fails), io.step('b', async () => 1)]))] }),
      later: async (_state, io) => {
        const a = io.step('a', fails);
        await io.step('b', async () => 1);
        return { log: [await a.then(String, () => 'later')] };
      },
    };
    for (const look of Object.values(looks)) {
      expect(await createRuntime().start(one(look), {}).result).toMatchObject({ finalState: 'done' });
    }
  });

  it('keeps its node running after that throws, so that a once call is not lost', async () => {
    const [begun, go] = [gate(), gate()];
    const store = memoryStore();
    const workflow = one(async (_state, io) => {
      const pay = io.step(
        'pay',
        async () => {
          begun.resolve();
          await go.promise;
          return 'paid';
        },
        { effect: 'once' },
      );
      await Promise.all([pay, Promise.reject(new Error('the other one'))]);
      return {};
    });
    const run = createRuntime({ store }).start(workflow, {});
    await begun.promise;
    go.resolve();
    expect(await run.result).toMatchObject({ finalState: 'failed', error: { message: 'the other one' } });
    expect((await store.journal(run.id)).map(({ key, kind }) => `${kind} ${key}`)).toEqual([
      'start run',
      'intent a#1/pay',
      'step a#1/pay',
      'node a#1',
      'settle run',
    ]);
  });

  it('does not start after its node has ended', async () => {
    const { promise, resolve } = gate();
    let begun = 0;
    const workflow = one(async (_state, io) => {
      void promise.then(() => io.step('late', async () => ++begun));
      return { log: ['a'] };
    });
    const store = memoryStore();
    const run = createRuntime({ store }).start(workflow, {});
    await run.result;
    resolve();
    await promise;
    expect([begun, (await store.journal(run.id)).length]).toEqual([0, 3]);
  });

  it('does not delay a suspended run', async () => {
    const workflow = one(async (state, io) => {
      void io.step('a', () => hangs(state, io) as never);
      return {};
    });
    const runtime = createRuntime();
    const run = runtime.start(workflow, {});
    for await (const event of run.events()) if (event.type === 'node-start') break;
    await runtime.pause(run.id);
    expect(await run.result).toEqual({ status: 'paused' });
  });
});
