// What the methods of a runtime are given: anything that is not exactly what they take is refused, before anything happens.
import { createRuntime, memoryStore, WorkflowError } from 'agent-machines';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { final, logWorkflow, node, waiting } from '../../fixtures/log-workflow.ts';

const asking = logWorkflow({ id: 'asking', states: { ask: waiting({ STOP: 'done' }), done: final } });
const paying = logWorkflow({
  id: 'paying',
  states: { a: node('a', 'done'), done: final, failed: final },
  nodes: {
    a: async (_state, io) => ({
      log: [
        await io.step('pay', () => Promise.reject(new WorkflowError({ code: 'CALL_IN_DOUBT', message: 'cut off' })), { effect: 'once' }),
      ],
    }),
  },
});
const codeOf = async (work: () => unknown): Promise<string> => {
  try {
    await work();
    return 'nothing was thrown';
  } catch (error) {
    return WorkflowError.isInstance(error) ? error.code : String(error);
  }
};

describe('a word on a call in doubt', () => {
  it('is refused unless it is exactly one of the three, and the call stays in doubt', async () => {
    const runtime = createRuntime();
    const run = runtime.start(paying, {});
    const result = await run.result;
    if (result.status !== 'in_doubt') throw new Error(`not in doubt: ${JSON.stringify(result)}`);
    const callId = result.calls[0]?.callId ?? '';
    const before = [await runtime.get(run.id), await runtime.history(run.id)];
    const isRight = (value: unknown): boolean => {
      const { as, ...rest } = Object(value) as Record<string, unknown>;
      const names = Object.keys(rest);
      return as === 'done' ? names.length === 1 && names[0] === 'output' : (as === 'retry' || as === 'abort') && names.length === 0;
    };
    const member = fc.constantFrom('as', 'output', 'done', 'retry', 'abort', 'result');
    const value = fc.constantFrom('done', 'retry', 'abort', 'Done', true, false, null, 'ok', undefined);
    const wrong = fc.oneof(fc.dictionary(member, value), fc.anything()).filter((given) => !isRight(given));
    await fc.assert(
      fc.asyncProperty(wrong, async (given) => {
        expect(await codeOf(() => runtime.resolve(run.id, callId, given as never))).toBe('OPTION_INVALID');
      }),
      {
        numRuns: 300,
        examples: [[{ done: { paid: true } }], [{ as: 'done' }], [{ as: 'retry', output: 1 }], ['abort'], [undefined], [null]],
      },
    );
    expect([await runtime.get(run.id), await runtime.history(run.id)]).toEqual(before);
    expect(await (await runtime.resolve(run.id, callId, { as: 'done', output: 'paid' })).result).toMatchObject({
      status: 'done',
      output: 'paid',
    });
  });
});

describe('the options of a method', () => {
  it('are refused when they are of a wrong type, or nobody knows them, and nothing has happened', async () => {
    const store = memoryStore();
    const runtime = createRuntime({ store });
    const run = runtime.start(asking, {});
    const first = await run.result;
    const interruptId = first.status === 'waiting' && first.interrupt ? first.interrupt.id : '';
    const before = await store.list({});
    const start = (options: unknown) => () => runtime.start(asking, {}, options as never);
    const calls: readonly [string, () => unknown][] = [
      ['createRuntime null', () => createRuntime(null as never)],
      ['createRuntime { stores }', () => createRuntime({ stores: store } as never)],
      ['createRuntime { store: path }', () => createRuntime({ store: 'agents.db' } as never)],
      ['createRuntime { workflows: one }', () => createRuntime({ workflows: asking } as never)],
      ['createRuntime { workflows: [text] }', () => createRuntime({ workflows: ['asking'] } as never)],
      ['start nothing', () => runtime.start(undefined as never, {})],
      ['start a machine', () => runtime.start(asking.machine as never, {})],
      ['createRuntime { leaseMs: 0 }', () => createRuntime({ leaseMs: 0 })],
      ['createRuntime { clock: Date }', () => createRuntime({ clock: Date } as never)],
      ['start { thread }', start({ thread: 't' })],
      ['start { ifBusy: wait }', start({ ifBusy: 'wait' })],
      ['start { metadata: text }', start({ metadata: 'x' })],
      ['start { limits: 5 }', start({ limits: 5 })],
      ['start { runId: 5 }', start({ runId: 5 })],
      ['start thread', start('t')],
      ['resume { force: yes }', () => runtime.resume(run.id, { force: 'yes' } as never)],
      ['resume { limit }', () => runtime.resume(run.id, { limit: {} } as never)],
      ['send without options', () => (runtime.send as (...args: unknown[]) => unknown)(run.id, { type: 'STOP' })],
      ['send without an id', () => runtime.send(run.id, { type: 'STOP' }, {} as never)],
      ['send { interrupt }', () => runtime.send(run.id, { type: 'STOP' }, { interruptId, interrupt: interruptId } as never)],
      ['send with the id itself', () => runtime.send(run.id, { type: 'STOP' }, interruptId as never)],
      ['fork without options', () => (runtime.fork as (...args: unknown[]) => unknown)(run.id)],
      ['fork { at: 3 }', () => runtime.fork(run.id, { at: 3 } as never)],
      ['fork { repeatOnce: 1 }', () => runtime.fork(run.id, { at: 'ask#1', repeatOnce: 1 } as never)],
      ['list { state }', () => runtime.list({ state: 'done' } as never)],
      ['list { status: finished }', () => runtime.list({ status: 'finished' } as never)],
      ['list { limit: 0 }', () => runtime.list({ limit: 0 })],
      [
        'events { from: text }',
        () =>
          runtime
            .events(run.id, { from: '1' } as never)
            [Symbol.asyncIterator]()
            .next(),
      ],
    ];
    const found = [];
    for (const [name, call] of calls) found.push([name, await codeOf(call)]);
    expect(found).toEqual(calls.map(([name]) => [name, 'OPTION_INVALID']));
    expect(await store.list({})).toEqual(before);
    expect(await (await runtime.send(run.id, { type: 'STOP' }, { interruptId })).result).toMatchObject({ status: 'done' });
  });

  it('may be undefined, as if they had been left out', async () => {
    const runtime = createRuntime({ store: undefined, limits: undefined } as never);
    expect(await runtime.start(asking, {}, { threadId: undefined, metadata: undefined } as never).result).toMatchObject({
      status: 'waiting',
    });
  });
});
