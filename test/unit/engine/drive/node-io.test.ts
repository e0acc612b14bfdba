// What a node may hand to its run by `io`, and what it may throw: nothing of it ends or breaks more than the node.
import { createRuntime, type ErrorInfo, type StreamEvent, toErrorInfo, WorkflowError } from 'agent-machines';
import { describe, expect, it } from 'vitest';
import { failure, final, type LogHandler, logWorkflow, node, says, waiting } from '../../../fixtures/log-workflow.ts';

const workflowOf = (a: LogHandler) =>
  logWorkflow({
    states: { a: node('a', 'ask'), ask: waiting({ STOP: 'b' }), b: node('b', 'done'), done: final, failed: failure },
    nodes: { a, b: says('b') },
  });

/** How the node has failed. */
async function failureOf(a: LogHandler): Promise<ErrorInfo | undefined> {
  const result = await createRuntime().start(workflowOf(a), {}).result;
  return result.status === 'failed' ? result.error : { name: result.status, code: result.status, message: '', retryable: false };
}

const usage = { inputTokens: 1, outputTokens: 1 };
const error: ErrorInfo = { name: 'Error', code: 'UNKNOWN', message: 'm', retryable: false };
/** One of each kind, with all that it must have: what else it may have stands in `mayHave`. */
const rightEvents: readonly StreamEvent[] = [
  { type: 'model-start', task: 't', model: 'm' },
  { type: 'model-end', task: 't', model: 'm', durationMs: 1, usage, cached: false },
  { type: 'tool-start', callId: 'c', tool: 't', args: null },
  { type: 'tool-end', callId: 'c', tool: 't', durationMs: 1, attempts: 1, deduplicated: false },
  { type: 'token', text: '' },
  { type: 'step-reset' },
  { type: 'thinking', step: 's', content: [] },
  { type: 'sources', sources: 0 },
  { type: 'custom', name: 'n', data: false },
];
const mayHave: readonly StreamEvent[] = [
  {
    type: 'model-end',
    task: 't',
    model: 'm',
    durationMs: 1,
    usage: { ...usage, cachedInputTokens: 0, reasoningTokens: 1 },
    cached: true,
    error,
  },
  { type: 'tool-end', callId: 'c', tool: 't', durationMs: 1, attempts: 1, deduplicated: false, error, cause: error },
];

/** Without each of its fields, with each that is no JSON of any kind as a list, and with one more: the names of those that the log adds among them. */
function wrongOnes(event: StreamEvent): readonly object[] {
  const isAnyJson = (name: string): boolean => /^(?:args|content|sources|data)$/.test(name);
  const names = Object.keys(event).filter((name) => name !== 'type');
  return [
    ...names.map((name) => Object.fromEntries(Object.entries(event).filter(([each]) => each !== name))),
    ...names.filter((name) => !isAnyJson(name)).map((name) => ({ ...event, [name]: [] })),
    ...['seq', 'at', 'node', 'live', 'txt', 'constructor'].map((name) => ({ ...event, [name]: 1 })),
  ];
}

describe('io.emit events', () => {
  const refused: readonly unknown[] = [
    null,
    'token',
    7,
    [],
    {},
    { type: 7 },
    { type: 'run-start', workflow: 'w', version: '1', runId: 'r' },
    { type: 'run-end', status: 'done' },
    { type: 'node-start', key: 'a#1', attempt: 1 },
    { type: 'node-end', key: 'a#1', durationMs: 1 },
    { type: 'edge', from: 'a', to: 'b', on: 'done' },
    { type: 'interrupt', interrupt: { id: 'i' } },
    { type: 'model-end' },
    { type: 'model-end', usage: null },
    { type: 'model-end', usage: { ...usage, inputTokens: '1' } },
    { type: 'model-end', usage: { ...usage, outputTokens: -1_000_000 } },
    // a name that every object has is no type
    { type: 'constructor' },
    { type: '__proto__' },
    ...rightEvents.flatMap(wrongOnes),
    ...mayHave.map((event) => ({ ...event, error: 'no error' })),
    { ...mayHave[1], cause: { message: 'without a code' } },
    { ...mayHave[0], usage: { ...usage, cachedInputTokens: -1 } },
    { ...mayHave[0], usage: { ...usage, reasoningTokens: '1' } },
  ];

  it.each([...rightEvents, ...mayHave].map((event) => [event]))('accepts %j', async (event) => {
    const run = createRuntime().start(
      workflowOf(async (_state, io) => {
        io.emit(event);
        return {};
      }),
      {},
    );
    const told: unknown[] = [];
    for await (const each of run.events()) told.push(each);
    expect(told).toContainEqual(expect.objectContaining(event));
    expect(await run.result).toMatchObject({ status: 'waiting' });
  });

  it.each(refused.map((event) => [event]))('fails the node for the invalid event %j', async (event) => {
    const emits: LogHandler = async (_state, io) => {
      io.emit(event as never);
      return {};
    };
    expect(await failureOf(emits)).toMatchObject({ code: 'EVENT_INVALID' });
  });

  it('keeps the run log intact for accepted events', async () => {
    const runtime = createRuntime();
    const run = runtime.start(
      workflowOf(async (_state, io) => {
        io.emit({ type: 'model-end', task: 't', model: 'm', durationMs: 1, usage, cached: false });
        io.emit({ type: 'step-reset' });
        io.emit({ type: 'custom', name: 'live only', data: null });
        return {};
      }),
      {},
    );
    const result = await run.result;
    if (result.status !== 'waiting') throw new Error('it waits');
    await (await runtime.send(run.id, { type: 'STOP' }, { interruptId: result.interrupt?.id ?? '' })).result;
    const events = [];
    for await (const { type } of runtime.events(run.id)) events.push(type);
    const said = ['model-end', 'step-reset'];
    const moved = ['edge', 'interrupt', 'edge', 'node-start', 'node-end', 'edge', 'run-end'];
    expect(events).toEqual(['run-start', 'node-start', ...said, 'node-end', ...moved]);
  });
});

describe('steps', () => {
  const options: readonly unknown[] = [
    null,
    'once',
    [],
    { effect: 'Once' },
    { effect: 1 },
    { efect: 'once' },
    { fromHuman: 1 },
    { toString: 'once' },
  ];
  it.each(options.map((each) => [each]))('rejects the step options %j before the step starts', async (each) => {
    let calls = 0;
    const failed = await failureOf(async (_state, io) => {
      await io.step('pay', async () => ++calls, each as never);
      return {};
    });
    expect([failed?.code, calls]).toEqual(['OPTION_INVALID', 0]);
  });

  it.each([[null], [7], [{}]])('rejects the key %j, which is not a string', async (key) => {
    const begins: LogHandler = async (_state, io) => {
      await io.step(key as never, async () => 1);
      return {};
    };
    expect(await failureOf(begins)).toMatchObject({ code: 'ID_INVALID' });
  });

  it('accepts omitted options', async () => {
    const workflow = workflowOf(async (_state, io) => {
      const options = { effect: undefined, describe: undefined, fromHuman: undefined };
      return { log: [await io.step('x', async () => 'x', options as never)] };
    });
    expect(await createRuntime().start(workflow, {}).result).toMatchObject({ status: 'waiting' });
  });
});

describe('errors of a node', () => {
  const hostile = (): unknown => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    return proxy;
  };
  const traps = (): unknown =>
    new Proxy(new Error('x'), {
      get() {
        throw new Error('get');
      },
      has() {
        throw new Error('has');
      },
      getPrototypeOf() {
        throw new Error('getPrototypeOf');
      },
    });

  it.each([hostile, traps])('takes the error edge for the hostile value %o', async (make) => {
    expect(await failureOf(() => Promise.reject(make()))).toMatchObject({ code: 'NODE_FAILED' });
    expect(await failureOf(async (_state, io) => ({ log: [await io.step('x', () => Promise.reject(make()))] }))).toMatchObject({
      code: 'NODE_FAILED',
      data: { step: 'x' },
    });
  });

  it('limits the size of an error', () => {
    const long = 'x'.repeat(1_000_000);
    const thrown: readonly unknown[] = [
      long,
      new Error(long),
      Object.assign(new Error('y'), { name: long }),
      { message: long },
      new WorkflowError({ code: 'TOOL_FAILED', message: 'm', data: { long } }),
      { kind: 'workflow-error', code: long, message: long, hint: long, name: long },
    ];
    for (const each of thrown) expect(JSON.stringify(toErrorInfo(each)).length).toBeLessThan(100_000);
  });
});
