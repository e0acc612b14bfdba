// Spans of runs: which there are, what they say, and that each happens once whatever becomes of the process or the exporter.
import { AsyncLocalStorage } from 'node:async_hooks';
import { type Context, type ContextManager, context, ROOT_CONTEXT, trace } from '@opentelemetry/api';
import {
  type AnyWorkflow,
  createRuntime,
  memoryStore,
  type RunResult,
  type Runtime,
  type Tool,
  WorkflowError,
  withAttempts,
} from 'agent-machines';
import { planExecute } from 'agent-machines/machines/plan-execute';
import { type ToolAgentRuleInputs, toolAgent } from 'agent-machines/machines/tool-agent';
import { offlineModel } from 'agent-machines/models';
import { runIdGenerator, type TelemetryOptions, tracedStore } from 'agent-machines/telemetry';
import { crashingStore, runStoreContract } from 'agent-machines/testing';
import { asTool } from 'agent-machines/tools';
import { describe, expect, it } from 'vitest';
import { final, logWorkflow, node, says, waiting } from '../../../fixtures/log-workflow.ts';
import { paths, type RecordedSpan, type SpanRecorderOptions, spanRecorder } from '../../../fixtures/span-recorder.ts';
import { echo, held, textTool } from '../../../fixtures/text-tools.ts';

type Call = readonly [tool: string, args: Readonly<Record<string, string>>];

/** Calls these tools at first, then says what they have answered; each reply has usage, as a real one has. */
function callingModel(...calls: readonly Call[]) {
  const rules = offlineModel<ToolAgentRuleInputs>({
    'tool_agent.agent': ({ messages }) => {
      const answers = messages.flatMap((message) => (message.role === 'tool' ? [message.content] : []));
      if (answers.length === 0) return { toolCalls: calls.map(([name, args]) => ({ name, arguments: args })) };
      return `said: ${answers.join(' | ')}`;
    },
  });
  const usage = { inputTokens: 1_000, outputTokens: 200, cachedInputTokens: 400, reasoningTokens: 50 };
  return {
    ...rules,
    name: 'gpt-5-mini',
    generate: async (...args: Parameters<typeof rules.generate>) => ({
      ...(await rules.generate(...args)),
      usage,
      model: 'gpt-5-mini-2025',
    }),
  };
}

const agentWith = (tools: readonly Tool[], ...calls: readonly Call[]) => toolAgent({ model: callingModel(...calls), tools });

interface Traced {
  readonly spans: readonly RecordedSpan[];
  readonly runtime: Runtime;
}

function traced(workflows: readonly AnyWorkflow[], options: TelemetryOptions & SpanRecorderOptions = {}): Traced {
  const { provider, spans } = spanRecorder(options);
  const store = tracedStore(memoryStore(), { ...options, tracerProvider: provider });
  return { spans, runtime: createRuntime({ store, workflows }) };
}

const named = (spans: readonly RecordedSpan[], name: string): RecordedSpan => {
  const span = spans.find((one) => one.name === name);
  if (!span) throw new Error(`There is no span "${name}": ${spans.map((one) => one.name).join(', ')}`);
  return span;
};

async function finish(runtime: Runtime, workflow: AnyWorkflow, input: unknown, threadId?: string): Promise<RunResult<unknown>> {
  return runtime.start(workflow, input as never, threadId === undefined ? {} : { threadId }).result;
}

describe('the spans of a run', () => {
  it('are one trace: the workflow, its nodes, model calls, tools, and the workflow inside a tool', async () => {
    const inner = asTool(agentWith([echo()], ['echo', { text: 'x' }]), { name: 'research', description: 'Finds out.' });
    const tools = [inner, echo('left'), echo('right')];
    const workflow = agentWith(tools, ['research', { input: 'q' }], ['left', { text: 'l' }], ['right', { text: 'r' }]);
    const { spans, runtime } = traced([workflow]);
    expect(await finish(runtime, workflow, { input: 'q' }, 't_1')).toMatchObject({ status: 'done' });
    expect(paths(spans)).toEqual([
      'invoke_workflow tool_agent',
      'invoke_workflow tool_agent > agent',
      'invoke_workflow tool_agent > agent',
      'invoke_workflow tool_agent > agent > chat gpt-5-mini',
      'invoke_workflow tool_agent > agent > chat gpt-5-mini',
      'invoke_workflow tool_agent > tools',
      'invoke_workflow tool_agent > tools > execute_tool left',
      'invoke_workflow tool_agent > tools > execute_tool research',
      ...[
        '',
        ' > agent',
        ' > agent',
        ' > agent > chat gpt-5-mini',
        ' > agent > chat gpt-5-mini',
        ' > tools',
        ' > tools > execute_tool echo',
      ].map((inside) => `invoke_workflow tool_agent > tools > execute_tool research > invoke_agent research${inside}`),
      'invoke_workflow tool_agent > tools > execute_tool right',
    ]);
    expect(new Set(spans.map((span) => span.context.traceId)).size).toBe(1);
    expect(
      spans.every(({ attributes }) => !('gen_ai.operation.name' in attributes) || attributes['gen_ai.conversation.id'] === 't_1'),
    ).toBe(true);
  });

  it('follow the semantic conventions', async () => {
    const workflow = agentWith([echo()], ['echo', { text: 'x' }]);
    const { spans, runtime } = traced([workflow], {
      prices: { 'gpt-5-mini-2025': { inputPerMillion: 10, cachedInputPerMillion: 1, outputPerMillion: 100 } },
    });
    const run = runtime.start(workflow, { input: 'q' }, { threadId: 't_1' });
    await run.result;
    const chat = named(spans, 'chat gpt-5-mini');
    expect(chat).toMatchObject({
      kind: 2,
      failed: false,
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': 'openai',
        'gen_ai.request.model': 'gpt-5-mini',
        'gen_ai.response.model': 'gpt-5-mini-2025',
        'gen_ai.usage.input_tokens': 1_000,
        'gen_ai.usage.output_tokens': 200,
        'gen_ai.usage.cache_read.input_tokens': 400,
        'gen_ai.usage.reasoning.output_tokens': 50,
        'gen_ai.conversation.id': 't_1',
      },
    });
    expect(chat.attributes['gen_ai.usage.cost']).toBeCloseTo((600 * 10 + 400 * 1 + 200 * 100) / 1_000_000, 10);
    expect(named(spans, 'execute_tool echo')).toMatchObject({
      attributes: {
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': 'echo',
        'gen_ai.tool.type': 'function',
        'agent_machines.tool.attempts': 1,
      },
    });
    expect(named(spans, 'invoke_workflow tool_agent')).toMatchObject({
      attributes: {
        'gen_ai.operation.name': 'invoke_workflow',
        'gen_ai.workflow.name': 'tool_agent',
        'agent_machines.run.id': run.id,
        'agent_machines.run.status': 'done',
      },
    });
    for (const { startedAt, endedAt } of spans) expect(endedAt).toBeGreaterThanOrEqual(startedAt);
  });

  it('have edges as events, and the planner as a plan', async () => {
    const workflow = planExecute();
    const { spans, runtime } = traced([workflow]);
    await finish(runtime, workflow, { input: '12 * 30' });
    const whole = named(spans, 'invoke_workflow plan_execute');
    expect(
      whole.events.filter(({ name }) => name === 'agent_machines.edge').map(({ attributes }) => attributes['agent_machines.edge.to']),
    ).toEqual(['planner', 'executor', 'final_answer', 'done']);
    expect(named(spans, 'plan plan_execute').attributes).toMatchObject({
      'gen_ai.operation.name': 'plan',
      'agent_machines.node.state': 'planner',
    });
  });

  it('name each failure of a tool, a node and the run by its code', async () => {
    const broken = textTool('broken', async () => {
      throw new WorkflowError({ code: 'TOOL_FAILED', message: 'secret words' });
    });
    const workflow = agentWith([broken], ['broken', { text: 'x' }]);
    const one = traced([workflow]);
    await finish(one.runtime, workflow, { input: 'q' });
    expect(named(one.spans, 'execute_tool broken')).toMatchObject({ failed: true, attributes: { 'error.type': 'TOOL_FAILED' } });
    const failing = logWorkflow({
      states: { work: node('work', 'done'), done: final, failed: final },
      nodes: { work: () => Promise.reject(new WorkflowError({ code: 'MODEL_REFUSED', message: 'secret words' })) },
    });
    const two = traced([failing as AnyWorkflow]);
    await finish(two.runtime, failing as AnyWorkflow, {});
    expect(named(two.spans, 'work')).toMatchObject({ failed: true, attributes: { 'error.type': 'MODEL_REFUSED' } });
    expect(JSON.stringify([...one.spans, ...two.spans])).not.toContain('secret words');
  });

  it('fail with the run', async () => {
    const workflow = agentWith([echo()], ['echo', { text: 'x' }]);
    const { provider, spans } = spanRecorder();
    const runtime = createRuntime({ store: tracedStore(memoryStore(), { tracerProvider: provider }), limits: { modelCalls: 1 } });
    await finish(runtime, workflow, { input: 'q' });
    expect(named(spans, 'invoke_workflow tool_agent')).toMatchObject({ failed: true, attributes: { 'error.type': 'LIMIT_EXCEEDED' } });
  });

  it('have attempts of a node as events, and count those of a tool', async () => {
    let tries = 0;
    const workflow = logWorkflow({
      states: { work: node('work', 'done'), done: final, failed: final },
      nodes: {
        work: withAttempts(
          async () => {
            if (tries++ === 0) throw new WorkflowError({ code: 'MODEL_UNAVAILABLE', message: 'busy', retryable: true });
            return { log: ['ok'] as readonly string[] };
          },
          { retry: { firstDelayMs: 1 } },
        ),
      },
    }) as AnyWorkflow;
    const { spans, runtime } = traced([workflow]);
    await finish(runtime, workflow, {});
    const work = spans.filter(({ name }) => name === 'work');
    expect(work).toMatchObject([
      { failed: false, events: [{ name: 'agent_machines.retry', attributes: { 'error.type': 'MODEL_UNAVAILABLE' } }] },
    ]);
  });

  it('mark an equal call that was reused', async () => {
    const workflow = agentWith([echo('pay', { effect: 'idempotent' })], ['pay', { text: 'x' }], ['pay', { text: 'x' }]);
    const { spans, runtime } = traced([workflow]);
    await finish(runtime, workflow, { input: 'q' });
    const calls = spans.filter(({ name }) => name === 'execute_tool pay');
    expect(calls.filter(({ attributes }) => attributes['agent_machines.tool.deduplicated'] === true).length).toBe(calls.length - 1);
  });

  it('end when a run waits for a human, and resume in the same trace', async () => {
    const workflow = logWorkflow({
      states: { first: node('first', 'review'), review: waiting({ GO: 'last' }), last: node('last', 'done'), done: final, failed: final },
      nodes: { first: says('a'), last: says('b') },
    }) as AnyWorkflow;
    const { spans, runtime } = traced([workflow]);
    const run = runtime.start(workflow, {} as never);
    const result = await run.result;
    if (result.status !== 'waiting' || !result.interrupt) throw new Error('It does not wait.');
    expect(spans.map(({ name }) => name)).toEqual(['first', 'invoke_workflow log']);
    expect(spans[1]).toMatchObject({ attributes: { 'agent_machines.run.status': 'waiting' }, failed: false });
    expect(spans[1]?.events.map(({ name }) => name)).toContain('agent_machines.wait');
    await (await runtime.send(run.id, { type: 'GO' }, { interruptId: result.interrupt.id })).result;
    expect(paths(spans)).toEqual([
      'invoke_workflow log',
      'invoke_workflow log > first',
      'invoke_workflow log > invoke_workflow log',
      'invoke_workflow log > invoke_workflow log > last',
    ]);
    expect(new Set(spans.map(({ context: { traceId } }) => traceId)).size).toBe(1);
  });

  it('end with a cancelled run and its active work', async () => {
    const tool = held();
    const workflow = agentWith([tool], ['held', { text: 'x' }]);
    const { spans, runtime } = traced([workflow]);
    const run = runtime.start(workflow, { input: 'q' });
    for await (const event of run.events()) if (event.type === 'tool-start') break;
    await runtime.cancel(run.id);
    expect(named(spans, 'invoke_workflow tool_agent').attributes).toMatchObject({ 'agent_machines.run.status': 'cancelled' });
    expect(spans.map(({ name }) => name)).toContain('execute_tool held');
  });

  it('are absent for a run that was only read', async () => {
    const workflow = logWorkflow({ states: { review: waiting({ GO: 'done' }), done: final } }) as AnyWorkflow;
    const { spans, runtime } = traced([workflow]);
    const run = runtime.start(workflow, {} as never);
    const result = await run.result;
    if (result.status !== 'waiting' || !result.interrupt) throw new Error('It does not wait.');
    await expect(runtime.send(run.id, { type: 'NO' }, { interruptId: result.interrupt.id })).rejects.toMatchObject({
      code: 'EVENT_NOT_ACCEPTED',
    });
    expect(spans.length).toBe(1);
  });

  it('belong to the span that started the run, also after a resume', async () => {
    const storage = new AsyncLocalStorage<Context>();
    const manager: ContextManager = {
      active: () => storage.getStore() ?? ROOT_CONTEXT,
      with: (active, work, self, ...args) => storage.run(active, () => work.apply(self as never, args)),
      bind: (_, target) => target,
      enable: () => manager,
      disable: () => manager,
    };
    context.setGlobalContextManager(manager);
    const caller = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), traceFlags: 1 };
    const workflow = logWorkflow({ states: { review: waiting({ GO: 'done' }), done: final } }) as AnyWorkflow;
    const { spans, runtime } = traced([workflow]);
    const run = context.with(trace.setSpanContext(ROOT_CONTEXT, caller), () => runtime.start(workflow, {} as never));
    const result = await run.result;
    context.disable();
    if (result.status !== 'waiting' || !result.interrupt) throw new Error('It does not wait.');
    await (await runtime.send(run.id, { type: 'GO' }, { interruptId: result.interrupt.id })).result;
    expect(spans.length).toBe(2);
    expect(spans[0]?.parent).toMatchObject(caller);
    expect(spans.every((span) => span.context.traceId === caller.traceId)).toBe(true);
  });

  it('are sampled by trace: an unrecorded trace stays unrecorded', async () => {
    const workflow = logWorkflow({
      states: { review: waiting({ GO: 'last' }), last: node('last', 'done'), done: final, failed: final },
      nodes: { last: says('b') },
    }) as AnyWorkflow;
    const { spans, runtime } = traced([workflow], { samples: () => false });
    const run = runtime.start(workflow, {} as never);
    const result = await run.result;
    if (result.status !== 'waiting' || !result.interrupt) throw new Error('It does not wait.');
    expect(await (await runtime.send(run.id, { type: 'GO' }, { interruptId: result.interrupt.id })).result).toMatchObject({
      status: 'done',
    });
    expect(spans).toEqual([]);
  });
});

describe('after a crash at any write', () => {
  const inner = () => asTool(agentWith([echo()], ['echo', { text: 'x' }]), { name: 'research', description: 'Finds out.' });
  const workflow = () => agentWith([inner(), echo('other')], ['research', { input: 'q' }], ['other', { text: 'x' }]);

  it('keeps the trace whole, with each committed step once', async () => {
    const whole = crashingStore(memoryStore(), Number.POSITIVE_INFINITY);
    await finish(createRuntime({ store: whole }), workflow(), { input: 'q' });
    expect(whole.writes).toBeGreaterThan(10);
    for (let at = 1; at < whole.writes; at++) {
      const store = memoryStore();
      const ids = runIdGenerator();
      const dead = spanRecorder({ ids });
      const first = createRuntime({ store: tracedStore(crashingStore(store, at), { tracerProvider: dead.provider }) });
      const run = first.start(workflow(), { input: 'q' });
      await run.result;
      const alive = spanRecorder({ ids });
      const second = createRuntime({ store: tracedStore(store, { tracerProvider: alive.provider }), workflows: [workflow()] });
      const resumed = await second.resume(run.id, { force: true });
      expect(await resumed.result).toMatchObject({ status: 'done' });
      const spans = [...dead.spans, ...alive.spans];
      const where = `crash at write ${at}`;
      const idsThere = spans.map((span) => span.context.spanId);
      expect(new Set(idsThere).size, where).toBe(idsThere.length);
      expect(new Set(spans.map((span) => span.context.traceId)).size, where).toBe(1);
      const orphans = spans.filter(({ parent }) => parent && !idsThere.includes(parent.spanId));
      expect(
        orphans.map(({ name }) => name),
        where,
      ).toEqual([]);
      expect(spans.filter(({ parent }) => !parent).length, where).toBe(1);
      const committed = (await second.history(run.id)).filter(({ kind }) => kind === 'node').map(({ key }) => key);
      const ended = spans.filter(
        ({ attributes }) => 'agent_machines.node.key' in attributes && !('agent_machines.interrupted' in attributes),
      );
      expect(ended.map(({ attributes }) => attributes['agent_machines.node.key']).sort(), where).toEqual(committed.sort());
    }
  });

  it('keeps one trace for any ids of the provider', async () => {
    for (const at of [3, 6, 9]) {
      const store = memoryStore();
      const dead = spanRecorder();
      const first = createRuntime({ store: tracedStore(crashingStore(store, at), { tracerProvider: dead.provider }) });
      const run = first.start(workflow(), { input: 'q' });
      await run.result;
      const alive = spanRecorder();
      const second = createRuntime({ store: tracedStore(store, { tracerProvider: alive.provider }), workflows: [workflow()] });
      await (await second.resume(run.id, { force: true })).result;
      expect(new Set([...dead.spans, ...alive.spans].map((span) => span.context.traceId)).size).toBe(1);
    }
  });

  it('starts a trace for a run that began without telemetry', async () => {
    const store = memoryStore();
    const first = createRuntime({ store: crashingStore(store, 5) });
    const run = first.start(workflow(), { input: 'q' });
    await run.result;
    const { provider, spans } = spanRecorder();
    const second = createRuntime({ store: tracedStore(store, { tracerProvider: provider }), workflows: [workflow()] });
    expect(await (await second.resume(run.id, { force: true })).result).toMatchObject({ status: 'done' });
    expect(new Set(spans.map((span) => span.context.traceId)).size).toBe(1);
  });
});

describe('message content', () => {
  const secret = 'sk-1234567890';
  const inputSchema = { type: 'object', properties: { text: { type: 'string' }, password: { type: 'string' } } };
  const workflow = () => agentWith([echo('echo', { inputSchema })], ['echo', { text: `with ${secret}`, password: 'hunter2' }]);
  const said = async (options: TelemetryOptions): Promise<string> => {
    const agent = workflow();
    const { spans, runtime } = traced([agent], options);
    await finish(runtime, agent, { input: `tell ${secret}` });
    return JSON.stringify(spans);
  };

  it('is omitted by default', async () => {
    const text = await said({});
    expect(text).not.toContain(secret);
    expect(text).not.toContain('gen_ai.input.messages');
    expect(text).not.toContain('arguments');
  });

  it('is recorded on request, without secrets', async () => {
    const agent = workflow();
    const { spans, runtime } = traced([agent], { content: { secrets: [secret] } });
    await finish(runtime, agent, { input: `tell ${secret}` });
    expect(named(spans, 'execute_tool echo').attributes).toMatchObject({
      'gen_ai.tool.call.arguments': JSON.stringify({ text: 'with [key]', password: '[secret]' }),
      'gen_ai.tool.call.result': JSON.stringify('echo with [key]'),
    });
    expect(named(spans, 'invoke_workflow tool_agent').attributes).toMatchObject({
      'gen_ai.input.messages': JSON.stringify([{ role: 'user', parts: [{ type: 'text', content: 'tell [key]' }] }]),
      'gen_ai.output.messages': JSON.stringify([
        { role: 'assistant', parts: [{ type: 'text', content: 'said: echo with [key]' }], finish_reason: 'stop' },
      ]),
    });
    expect(JSON.stringify(spans)).not.toContain(secret);
  });

  it('names the files of a tool', async () => {
    const output = { content: [{ type: 'file', mediaType: 'image/png', data: 'AAAA' }] };
    const agent = agentWith([{ ...echo(), execute: async () => output }], ['echo', { text: 'x' }]);
    const { spans, runtime } = traced([agent], { content: true });
    await finish(runtime, agent, { input: 'q' });
    expect(named(spans, 'execute_tool echo').attributes['gen_ai.tool.call.result']).toContain('[attached: image/png, 3 bytes]');
    expect(JSON.stringify(spans)).not.toContain('AAAA');
  });

  it('omits members of an input', async () => {
    const typed = logWorkflow({
      states: { work: node('work', 'done'), done: final, failed: final },
      nodes: { work: says('ok') },
    }) as AnyWorkflow;
    const { spans, runtime } = traced([typed], { content: true });
    await finish(runtime, typed, { log: ['x'], password: 'hunter2' });
    const input = named(spans, 'invoke_workflow log').attributes['gen_ai.input.messages'];
    expect(input).toContain('log');
    expect(input).not.toContain('hunter2');
  });

  it("passes through the user's redaction", async () => {
    expect(await said({ content: { redact: () => '…' } })).not.toContain('tell');
  });
});

describe('a failing tracer or exporter', () => {
  it.each([
    ['throws when a span starts', { samples: () => broken() }],
    ['throws when a span ends', { onEnd: () => broken() }],
    ['throws where ids are made', { ids: { generateTraceId: broken, generateSpanId: broken } }],
  ])('leaves the run unchanged: %s', async (_, options) => {
    const workflow = agentWith([echo()], ['echo', { text: 'x' }]);
    const expected = await finish(createRuntime(), workflow, { input: 'q' });
    const { runtime } = traced([workflow], options);
    expect(await finish(runtime, workflow, { input: 'q' })).toEqual(expected);
  });

  it('forwards errors and other members of the store', async () => {
    const store = { ...memoryStore(), extra: () => 'there' };
    const { provider } = spanRecorder();
    const one = tracedStore(store, { tracerProvider: provider });
    expect(one.extra()).toBe('there');
    expect({ ...tracedStore(Object.freeze(store), { tracerProvider: provider }) }.extra()).toBe('there');
    expect(() => one.journal('r_none')).toThrow(expect.objectContaining({ code: 'RUN_UNKNOWN' }));
  });
});

function broken(): never {
  throw new Error('The exporter is broken.');
}

describe('the RunStore contract: a traced store', () => {
  const cases = runStoreContract(async () => tracedStore(memoryStore(), { tracerProvider: spanRecorder().provider }));
  // a store is encrypted before it is traced: an encryption around a traced store reads entries with their trace
  const encryption = 'encrypts clear text, and replaces the key';
  expect(cases.map(({ name }) => name)).toContain(encryption);
  for (const { name, run } of cases) if (name !== encryption) it(name, () => run());
});
