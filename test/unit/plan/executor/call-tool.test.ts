import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  createRuntime,
  defineMachine,
  defineState,
  defineWorkflow,
  type ErrorInfo,
  type Json,
  joinTaint,
  memoryStore,
  type NodeHandler,
  type NodeIo,
  noTaint,
  type Tool,
  thrownOf,
  WorkflowError,
  withAttempts,
} from 'agent-machines';
import { sqliteStore } from 'agent-machines/stores/sqlite';
import { callTool, defineTool, tryTool } from 'agent-machines/tools';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { startChild } from '../../../fixtures/child.ts';
import { folderForTest } from '../../../fixtures/folder-for-test.ts';
import { orderWorkflow } from '../../../fixtures/order-workflow.ts';

const amount = z.strictObject({ euros: z.int(), note: z.string().optional() });

const toolOf = (more: Partial<Tool> = {}, execute = async ({ euros }: z.infer<typeof amount>) => ({ receipt: `paid ${euros}` })) =>
  defineTool({ name: 'pay', description: 'Pays.', access: 'write', input: amount, ...more, execute } as const);

interface CallState {
  readonly value: Json;
  readonly error: ErrorInfo | null;
  readonly taint: Json;
}

const state = defineState<CallState, Record<never, never>, CallState>({
  onError: (_state, error) => ({ error, taint: error.data?.taint ?? null }),
});

/** A workflow with one node that does `work`. */
const workflowOf = (work: (io: NodeIo) => Promise<unknown>, wrap = (handler: NodeHandler<CallState>) => handler) =>
  defineWorkflow({
    machine: defineMachine(state, {
      id: 'calls',
      context: () => ({ value: null, error: null, taint: null }),
      initial: 'work',
      output: (end) => end,
      states: { work: { node: 'work', done: 'ended', error: 'failed' }, ended: { final: true }, failed: { final: 'failure' } },
    }),
    nodes: { work: wrap(async (_state, io) => ({ value: (await work(io)) as Json })) },
  });

/** Runs `work` in a node and returns the last state. */
async function endOf(...work: Parameters<typeof workflowOf>): Promise<CallState> {
  const result = await createRuntime().start(workflowOf(...work), {}).result;
  if (!('output' in result)) throw new Error(JSON.stringify(result));
  return result.output;
}

describe('callTool', () => {
  it('returns the output and the taint of the thread after the call', async () => {
    const read = toolOf({ capabilities: { private: true, untrusted: true, external: false } });
    const { value } = await endOf((io) => callTool(read, io, { euros: 5 }));
    expect(value).toEqual({ output: { receipt: 'paid 5' }, taint: { private: true, untrusted: true, user: false } });
  });

  it('throws the error of the tool with the taint of the thread, so that the node takes its error edge', async () => {
    const fails = toolOf({ capabilities: { private: true, untrusted: false, external: false } }, () =>
      Promise.reject(new WorkflowError({ code: 'FETCH_FAILED', message: 'The bank is closed.', data: { status: 503 } })),
    );
    const taint = { private: true, untrusted: false, user: false };
    const { error, taint: stored } = await endOf((io) => callTool(fails, io, { euros: 5 }));
    expect(error).toMatchObject({ code: 'FETCH_FAILED', message: 'The bank is closed.', data: { status: 503, taint } });
    expect(stored).toEqual(taint);
  });

  it('keeps what a tool has thrown: in its own result, in live events and in the result of the run', async () => {
    const boom = new TypeError('no such account');
    const fails = toolOf({}, () => Promise.reject(boom));
    const thrown: unknown[] = [];
    const workflow = workflowOf(async (io) => {
      const end = await tryTool(fails, io, { euros: 5 }, { key: 'first' });
      if (end.status === 'failure') thrown.push(thrownOf(end.error));
      return callTool(fails, io, { euros: 6 });
    });
    const store = memoryStore();
    const run = createRuntime({ store }).start(workflow, {});
    for await (const event of run.events()) if (event.type === 'tool-end' && event.error) thrown.push(thrownOf(event.error));
    expect(thrown).toEqual([boom, boom, boom]);
    const result = await run.result;
    if (result.status !== 'failed') throw new Error(result.status);
    expect(result.error).toMatchObject({ code: 'TOOL_FAILED', message: 'no such account' });
    expect(thrownOf(result.error)).toMatchObject({ code: 'TOOL_FAILED', cause: boom });
    expect(JSON.stringify([result, await store.journal(run.id)])).not.toContain('call-tool.test');
  });

  it('throws CALL_NEEDS_APPROVAL with the arguments when the call needs approval', async () => {
    const { error } = await endOf((io) => callTool(toolOf({ needsApproval: true }), io, { euros: 5 }));
    expect(error).toMatchObject({
      code: 'CALL_NEEDS_APPROVAL',
      message: '"pay" waits for approval: the tool requires it.',
      hint: expect.stringContaining('tryTool'),
      data: { tool: 'pay', args: { euros: 5 }, taint: noTaint },
    });
  });

  it('throws the recorded error again when the node is retried, so that the tool decides about retries', async () => {
    let calls = 0;
    const busy = (): Promise<never> => {
      calls++;
      return Promise.reject(new WorkflowError({ code: 'FETCH_FAILED', message: 'Busy.', retryable: true }));
    };
    const fails = toolOf({ effect: 'idempotent', maxAttempts: 2 }, busy);
    const retried = (handler: NodeHandler<CallState>) => withAttempts(handler, { retry: { attempts: 3, firstDelayMs: 1 } });
    const { error } = await endOf((io) => callTool(fails, io, { euros: 5 }), retried);
    expect(error).toMatchObject({ code: 'FETCH_FAILED' });
    expect(calls).toBe(2);
  });

  it.each<[string, (io: NodeIo) => readonly unknown[], string, string]>([
    ['no tool', (io) => [undefined, io, { euros: 5 }], 'TOOL_INVALID', 'not a tool'],
    ['a name', (io) => ['pay', io, { euros: 5 }], 'TOOL_INVALID', 'not a tool'],
    ['no io', () => [toolOf(), { euros: 5 }], 'OPTION_INVALID', 'not the io of a node'],
    ['a key as its options', (io) => [toolOf(), io, { euros: 5 }, 'tip'], 'OPTION_INVALID', 'options of the call'],
  ])('rejects %s by name', async (_, args, code, message) => {
    const { error } = await endOf((io) => Reflect.apply(callTool, undefined, [...args(io)]));
    expect(error).toMatchObject({ code, message: expect.stringContaining(message) });
  });

  it('rejects a second call in one visit without its own key', async () => {
    const pay = toolOf();
    const { error } = await endOf(async (io) => {
      await callTool(pay, io, { euros: 5 });
      return callTool(pay, io, { euros: 7 });
    });
    expect(error).toMatchObject({
      code: 'STEP_KEY_REUSED',
      message: 'This visit of the node has already called a tool under the key "pay".',
      hint: 'Pass a key to the second call of "pay", such as { key: \'pay-2\' }.',
      data: { tool: 'pay', key: 'pay' },
    });
  });
});

describe('tryTool', () => {
  it('returns the error of a failed call', async () => {
    const fails = toolOf({}, () => Promise.reject(new WorkflowError({ code: 'FETCH_FAILED', message: 'No.' })));
    expect((await endOf((io) => tryTool(fails, io, { euros: 5 }))).value).toEqual({
      status: 'failure',
      error: { name: 'WorkflowError', code: 'FETCH_FAILED', message: 'No.', retryable: false },
      taint: noTaint,
    });
  });

  it.each([
    ['message', 'x.map is not a function'],
    ['hidden', 'The tool "pay" failed.'],
  ] as const)('returns TOOL_FAILED for a TypeError, with the text that errors: %s permits', async (errors, message) => {
    const store = memoryStore();
    const runtime = createRuntime({ store });
    const fails = toolOf({ errors }, () => Promise.reject(new TypeError('x.map is not a function')));
    const run = runtime.start(
      workflowOf((io) => tryTool(fails, io, { euros: 5 })),
      {},
    );
    expect(await run.result).toMatchObject({ output: { value: { status: 'failure', error: { code: 'TOOL_FAILED', message } } } });
    // the tool-end event keeps the text for the log of the run
    const journaled = JSON.stringify((await runtime.history(run.id)).map(({ outcome }) => outcome));
    expect(journaled.includes('x.map')).toBe(errors === 'message');
  });

  it('holds an external call when the thread has private data, and makes it once it is approved', async () => {
    const send = toolOf({ name: 'send', capabilities: { private: false, untrusted: false, external: true } });
    const taint = joinTaint(noTaint, { private: true, untrusted: false });
    const { value } = await endOf(async (io) => {
      const held = await tryTool(send, io, { euros: 5 }, { taint });
      if (held.status !== 'held') throw new Error(held.status);
      return [held, await tryTool(send, io, { euros: 5 }, { key: 'approved', taint, approved: [held] })];
    });
    expect(value).toMatchObject([
      { status: 'held', tool: 'send', args: { euros: 5 }, reasons: ['private'], taint, runId: expect.any(String) },
      { status: 'success', output: { receipt: 'paid 5' }, taint },
    ]);
    expect((value as readonly Json[])[0]).not.toHaveProperty('call');
  });

  it.each([
    ['a wrong type', { euros: '5' }, 'euros'],
    ['an unknown argument', { euros: 5, to: 'x' }, 'to'],
    ['no object', [5], 'object'],
    ['a value that JSON would change', { euros: 5, note: new Date(0) }, 'args.note is a Date'],
    ['nothing', undefined, 'undefined'],
  ])('rejects arguments with %s before the tool runs', async (_what, args, named) => {
    let calls = 0;
    const pay: Tool = { ...toolOf(), execute: async () => ++calls };
    const { error } = await endOf((io) => tryTool(pay, io, args as never));
    expect(error).toMatchObject({ code: 'TOOL_CALL_INVALID', message: expect.stringContaining(named), data: { tool: 'pay' } });
    expect(calls).toBe(0);
  });

  it('drops undefined members and leaves the arguments of the caller writable', async () => {
    const args = { euros: 5, note: undefined };
    const pay: Tool = { ...toolOf(), execute: async (given) => given };
    expect((await endOf((io) => tryTool(pay, io, args as never))).value).toMatchObject({ output: { euros: 5 } });
    expect(Object.isFrozen(args)).toBe(false);
  });

  it('rejects a tool with an unusable schema', async () => {
    const broken: Tool = { ...toolOf(), inputSchema: { type: 'object', properties: { a: { pattern: '(' } } } };
    expect((await endOf((io) => tryTool(broken, io, {}))).error).toMatchObject({ code: 'TOOL_INVALID' });
  });

  it('journals an intent and a step for a once call', async () => {
    const store = memoryStore();
    const pay = toolOf();
    const run = createRuntime({ store }).start(
      workflowOf((io) => tryTool(pay, io, { euros: 5 })),
      {},
    );
    await run.result;
    const entries = await store.journal(run.id);
    expect(entries.filter(({ key }) => key.includes('pay')).map(({ key, kind }) => `${kind} ${key}`)).toEqual([
      'intent work#1/pay_call_0',
      'step work#1/pay_call_0',
    ]);
  });

  it('aborts the call when the run is cancelled', async () => {
    const begun = Promise.withResolvers<void>();
    const aborted = Promise.withResolvers<void>();
    const waits: Tool = {
      ...toolOf({ effect: 'pure' }),
      execute: (_args, { signal }) =>
        new Promise(() => {
          signal.addEventListener('abort', () => aborted.resolve());
          begun.resolve();
        }),
    };
    const runtime = createRuntime();
    const run = runtime.start(
      workflowOf((io) => tryTool(waits, io, { euros: 5 })),
      {},
    );
    await begun.promise;
    await runtime.cancel(run.id);
    await aborted.promise;
    expect((await run.result).status).toBe('cancelled');
  });

  it('aborts the call by the signal of its options', async () => {
    const stop = new AbortController();
    const waits: Tool = { ...toolOf({ effect: 'pure' }), execute: () => new Promise(() => stop.abort(new Error('enough'))) };
    expect((await endOf((io) => tryTool(waits, io, { euros: 5 }, { signal: stop.signal }))).error).toMatchObject({ message: 'enough' });
  });
});

describe('two once calls of a node', () => {
  const linesOf = (path: string): readonly string[] => readFileSync(path, 'utf8').trimEnd().split('\n');
  const done = { status: 'done', finalState: 'paid', output: 'paid 5, paid 7' };

  it('are each made once when the run is paused between them', async () => {
    const payments = join(folderForTest('orders-'), 'payments');
    const begun = Promise.withResolvers<void>();
    const runtime = createRuntime();
    let paused = false;
    const between = async (): Promise<void> => {
      if (paused) return;
      paused = true;
      begun.resolve();
      await new Promise(() => {});
    };
    const run = runtime.start(orderWorkflow(payments, between), {});
    await begun.promise;
    await runtime.pause(run.id);
    expect(linesOf(payments)).toEqual(['5']);
    expect(await (await runtime.resume(run.id)).result).toEqual(done);
    expect(linesOf(payments)).toEqual(['5', '7']);
  });

  it('are each made once when the process is killed between them', async () => {
    const folder = folderForTest('orders-');
    const [path, payments] = [join(folder, 'runs.db'), join(folder, 'payments')];
    const child = startChild('ordering-process.ts', [path, payments]);
    onTestFinished(() => child.kill('SIGKILL'));
    const runId = await child.line(0);
    child.kill('SIGKILL');
    await child.ended;
    const runtime = createRuntime({ store: sqliteStore({ path }), workflows: [orderWorkflow(payments)] });
    onTestFinished(() => runtime.close());
    const result = await (await runtime.resume(runId)).result;
    expect(result).toEqual(done);
    expect(linesOf(payments)).toEqual(['5', '7']);
  });
});
