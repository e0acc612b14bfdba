// What the methods of a runtime are given: anything that is not exactly what they take is refused, before anything happens.
import {
  type AnyWorkflow,
  createRuntime,
  createWorker,
  defineMachine,
  defineState,
  defineWorkflow,
  node as describeNode,
  lintWorkflow,
  memoryStore,
  schemaState,
  subWorkflow,
  toGraph,
  WorkflowError,
  withAttempts,
} from 'agent-machines';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { final, logWorkflow, node, waiting } from '../../../fixtures/log-workflow.ts';

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

describe('a resolution of a call in doubt', () => {
  it('is rejected unless it is one of the three forms, and the call stays in doubt', async () => {
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
  it('are rejected when a type is wrong or a name is unknown, before any effect', async () => {
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
      ['start nothing', () => runtime.start<AnyWorkflow>(undefined as never, {})],
      ['start a machine', () => runtime.start<AnyWorkflow>(asking.machine as never, {})],
      ['createRuntime { leaseMs: 0 }', () => createRuntime({ leaseMs: 0 })],
      ['createRuntime { clock: Date }', () => createRuntime({ clock: Date } as never)],
      ['start { thread }', start({ thread: 't' })],
      ['start { ifBusy: wait }', start({ ifBusy: 'wait' })],
      ['start { metadata: text }', start({ metadata: 'x' })],
      ['start { limits: 5 }', start({ limits: 5 })],
      ['start { runId: 5 }', start({ runId: 5 })],
      ['start thread', start('t')],
      ['resume { force: yes }', () => runtime.resume(run.id, { force: 'yes' } as never)],
      ['resume { limits: unknown }', () => runtime.resume(run.id, { limits: { calls: 5 } } as never)],
      ['resume { limits: negative }', () => runtime.resume(run.id, { limits: { toolCalls: -1 } })],
      ['resume { limits: BigInt }', () => runtime.resume(run.id, { limits: { wallTimeMs: 5n } } as never)],
      ['resolve a call without an id', () => runtime.resolve(run.id, undefined as never, { as: 'retry' })],
      ['resolve a call of a symbol', () => runtime.resolve(run.id, Symbol('pay') as never, { as: 'retry' })],
      ['events of a run from null', () => run.events(null as never)],
      ['events of a run from a BigInt', () => run.events({ from: 5n } as never)],
      ['createWorker { signal: object }', () => createWorker({ signal: {} } as never)],
      ['createWorker { runtime: store }', () => createWorker({ runtime: store } as never)],
      ['resume { limit }', () => runtime.resume(run.id, { limit: {} } as never)],
      ['send without options', () => (runtime.send as (...args: unknown[]) => unknown)(run.id, { type: 'STOP' })],
      ['send without an id', () => runtime.send(run.id, { type: 'STOP' }, {} as never)],
      ['send { interrupt }', () => runtime.send(run.id, { type: 'STOP' }, { interruptId, interrupt: interruptId } as never)],
      ['send with the id itself', () => runtime.send(run.id, { type: 'STOP' }, interruptId as never)],
      ['fork without options', () => (runtime.fork as (...args: unknown[]) => unknown)(run.id)],
      ['fork { at: 3 }', () => runtime.fork(run.id, { at: 3 } as never)],
      ['fork { repeatOnce: 1 }', () => runtime.fork(run.id, { at: 'ask#1', repeatOnce: 1 } as never)],
      ['list { stat }', () => runtime.list({ stat: 'done' } as never)],
      ['list { state: finished }', () => runtime.list({ state: 'finished' } as never)],
      ['list { code: 1 }', () => runtime.list({ code: 1 } as never)],
      ['list { updatedBefore: x }', () => runtime.list({ updatedBefore: 'x' } as never)],
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

  it('leave an undriven run free when they are rejected', async () => {
    const store = memoryStore();
    const run = createRuntime({ store }).start(asking, {});
    const first = await run.result;
    const before = await store.read(run.id);
    const other = createRuntime({ store, workflows: [asking] });
    for (const limits of [{ calls: 5 }, { toolCalls: 0 }, { toolCalls: Number.NaN }, { toolCalls: '5' }, { toolCalls: null }]) {
      expect(await codeOf(() => other.resume(run.id, { limits } as never))).toBe('OPTION_INVALID');
      expect(await store.read(run.id)).toEqual(before);
    }
    const interruptId = first.status === 'waiting' && first.interrupt ? first.interrupt.id : '';
    expect(await (await other.send(run.id, { type: 'STOP' }, { interruptId })).result).toMatchObject({ status: 'done' });
  });

  it('may be undefined, as if omitted', async () => {
    const runtime = createRuntime({ store: undefined, limits: undefined } as never);
    expect(await runtime.start(asking, {}, { threadId: undefined, metadata: undefined } as never).result).toMatchObject({
      status: 'waiting',
    });
  });
});

describe('arguments of builders', () => {
  const bare = Object.create(null) as object;
  const wrong: readonly unknown[] = [undefined, null, 5, Number.NaN, 5n, Symbol('s'), 'text', '', true, [], {}, bare, new Date(0), () => 1];
  const of = (options: object) => defineMachine(defineState(), { id: 'm', initial: 'a', states: { a: final }, ...options } as never);
  const builders: Readonly<Record<string, (value: unknown) => unknown>> = {
    defineWorkflow: (value) => defineWorkflow(value as never),
    'the machine of a workflow': (machine) => defineWorkflow({ machine, nodes: {} } as never),
    'the state of a machine': (value) => defineMachine(value as never, { id: 'm', initial: 'a', states: { a: final } } as never),
    'the options of a machine': (value) => defineMachine(defineState(), value as never),
    'the id of a machine': (id) => typeof id === 'string' || of({ id }),
    lintWorkflow: (value) => lintWorkflow(value as never),
    toGraph: (value) => toGraph(value as never),
    'the options of schemaState': (value) =>
      value === undefined || isPlain(value) || schemaState(z.object({ a: z.string() }), value as never),
    'the options of defineState': (value) => value === undefined || isPlain(value) || defineState(value as never),
    'the workflow of a node': (value) => subWorkflow(value as never, { toInput: () => ({}), toPatch: () => ({}) }),
    'the options of a workflow as a node': (value) => subWorkflow(asking, value as never),
    'the handler of withAttempts': (value) => typeof value === 'function' || withAttempts(value as never, {}),
    'the options of withAttempts': (value) => isPlain(value) || withAttempts(async () => ({}), value as never),
    'timeoutMs of withAttempts': (timeoutMs) =>
      timeoutMs === undefined || timeoutMs === 5 || withAttempts(async () => ({}), { timeoutMs } as never),
    'the edges of a node': (value) => isPlain(value) || describeNode('a', value as never),
  };
  const isPlain = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);

  it.each(Object.keys(builders))('are rejected with a descriptive error: %s', (name) => {
    const found = wrong.map((value) => {
      try {
        return builders[name]?.(value) === true ? 'right' : 'nothing was thrown';
      } catch (error) {
        return WorkflowError.isInstance(error) ? 'refused' : error;
      }
    });
    expect(found.filter((each) => each !== 'refused' && each !== 'right')).toEqual([]);
    expect(found).toContain('refused');
  });
});
