import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { serve } from '@hono/node-server';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  type CallToolResult,
  ElicitRequestSchema,
  type ElicitResult,
  LoggingMessageNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import {
  createRuntime,
  defineMachine,
  defineWorkflow,
  final,
  type Json,
  node,
  type Runtime,
  schemaState,
  type TextGuard,
  waiting,
} from 'agent-machines';
import { toolAgent } from 'agent-machines/machines/tool-agent';
import { type McpRoutesOptions, type McpWorkflow, mcpRoutes } from 'agent-machines/mcp';
import { serveMcpStdio } from 'agent-machines/mcp/node';
import { scriptedModel } from 'agent-machines/models';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';

const plan = schemaState(z.object({ guests: z.number(), menu: z.string().default('') }), {
  events: { APPROVE: null, REVISE: z.object({ menu: z.string().min(2) }) },
});
const dinner = defineWorkflow({
  machine: defineMachine(plan, {
    id: 'dinner',
    initial: 'plan',
    output: ({ guests, menu }) => ({ answer: `${menu} for ${guests}` }),
    states: {
      plan: node('plan', { done: 'review', error: 'failed' }),
      review: waiting({ APPROVE: 'planned', REVISE: { target: 'review', reenter: true } }),
      planned: final(),
      failed: final('failure'),
    },
  }),
  nodes: { plan: async ({ guests }) => (guests > 90 ? Promise.reject(new Error('secret /etc/passwd')) : { menu: 'Fish' }) },
  questions: { review: ({ menu }) => `${menu}?\u202e` },
});

const wait = schemaState(z.object({ note: z.string().default('') }), {});
let aborted = 0;
const endless = defineWorkflow({
  machine: defineMachine(wait, {
    id: 'endless',
    initial: 'work',
    output: () => 'never',
    states: { work: node('work', { done: 'ended', error: 'broken' }), ended: final(), broken: final('failure') },
  }),
  nodes: {
    work: (_, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          aborted++;
          reject(signal.reason);
        });
      }),
  },
});

const workflows: readonly McpWorkflow[] = [
  {
    id: 'dinner',
    workflow: dinner as McpWorkflow['workflow'],
    title: 'Dinner',
    description: 'Plans a dinner.',
    inputSchema: { type: 'object', properties: { guests: { type: 'integer' } }, required: ['guests'] },
    textFields: { REVISE: 'menu' },
  },
  { id: 'endless', workflow: endless as McpWorkflow['workflow'], inputSchema: { type: 'object', properties: {} } },
];

const order = schemaState(z.object({ size: z.string().default(''), count: z.number().default(0) }), {
  events: { ORDER: z.object({ size: z.enum(['small', 'large']).default('small'), count: z.int().max(9) }) },
});
const shop: McpWorkflow = {
  id: 'shop',
  workflow: defineWorkflow({
    machine: defineMachine(order, {
      id: 'shop',
      initial: 'ask',
      output: ({ size, count }) => ({ answer: `${count} ${size}` }),
      states: { ask: waiting({ ORDER: 'ordered' }), ordered: final() },
    }),
    nodes: {},
    questions: { ask: () => 'What shall it be?' },
  }) as McpWorkflow['workflow'],
  inputSchema: {
    type: 'object',
    properties: { colour: { type: 'string', enum: ['red', 'rose', 'blue'] }, gift: { type: 'boolean' }, note: { type: 'string' } },
  },
};

let runtime: Runtime;
let closers: (() => Promise<unknown>)[] = [];
beforeEach(() => {
  runtime = createRuntime();
  closers = [() => runtime.close()];
  aborted = 0;
});
afterEach(async () => {
  for (const close of closers.reverse()) await close();
});

async function listen(options: McpRoutesOptions = {}, served = workflows): Promise<string> {
  const routes = mcpRoutes({ runtime, workflows: served }, options);
  const server = serve({ fetch: routes.fetch, port: 0, hostname: '127.0.0.1' });
  await new Promise((resolve) => server.once('listening', resolve));
  closers.push(async () => {
    await routes.close();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

type Answer = (message: string, decide: (content: Record<string, string>) => ElicitResult) => Promise<ElicitResult> | ElicitResult;

async function connect(url: string, answer?: Answer): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, { capabilities: answer ? { elicitation: {} } : {} });
  if (answer) {
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => answer(params.message, (content) => ({ action: 'accept', content })));
  }
  await client.connect(new StreamableHTTPClientTransport(new URL(url)) as never);
  closers.push(() => client.close());
  return client;
}

/** A client whose human gives these answers one after the other, and the questions that were shown. */
async function answering(answers: Record<string, string>[]): Promise<{ readonly client: Client; readonly asked: readonly string[] }> {
  const asked: string[] = [];
  const client = await connect(await listen(), (message, decide) => {
    asked.push(message);
    return decide(answers.shift() ?? {});
  });
  return { client, asked };
}

const call = (client: Client, name: string, args: object = {}, options = {}): Promise<CallToolResult> =>
  client.callTool({ name, arguments: { ...args } }, undefined, options) as Promise<CallToolResult>;
const textOf = ({ content }: CallToolResult): string => content.map((part) => (part.type === 'text' ? part.text : '')).join('');

describe('mcpRoutes', () => {
  it('lists each workflow as a tool, and the two tools that continue a run', async () => {
    const client = await connect(await listen());
    const { tools } = await client.listTools();
    expect(tools.map(({ name, title }) => [name, title])).toEqual([
      ['dinner', 'Dinner'],
      ['endless', undefined],
      ['answer_run', 'Answer a waiting run'],
      ['show_run', 'Show a run'],
    ]);
    expect(tools[0]?.inputSchema).toMatchObject({ required: ['guests'] });
    expect(client.getServerVersion()?.name).toBe('agent-machines');
  });

  it('accepts both spellings of a workflow as a tool and as a prompt', async () => {
    const other = { ...shop, id: 'corner_shop' };
    const client = await connect(await listen({}, [...workflows, other]));
    for (const name of ['corner-shop', 'corner_shop']) {
      expect((await call(client, name)).structuredContent).toMatchObject({ status: 'waiting' });
      const { messages } = await client.getPrompt({ name });
      expect(JSON.stringify(messages)).toContain('corner_shop');
    }
    await expect(call(client, 'corner.shop')).rejects.toThrow('There is no tool');
  });

  it('rejects an unknown argument', async () => {
    const client = await connect(await listen());
    const refused = await call(client, 'dinner', { guests: 6, grantEgress: true });
    expect([refused.isError, textOf(refused)]).toEqual([true, expect.stringContaining('/grantEgress')]);
    expect(await runtime.list()).toEqual([]);
  });

  it('lists each workflow as a prompt that calls its tool', async () => {
    const client = await connect(await listen());
    const { prompts } = await client.listPrompts();
    expect(prompts).toEqual([
      { name: 'dinner', title: 'Dinner', description: 'Plans a dinner.', arguments: [{ name: 'guests', required: true }] },
      { name: 'endless', description: 'Runs the workflow endless.', arguments: [] },
    ]);
    const { messages } = await client.getPrompt({ name: 'dinner', arguments: { guests: '6', others: 'not told' } });
    expect(messages).toEqual([
      { role: 'user', content: { type: 'text', text: expect.stringMatching(/^Call the tool "dinner"[\s\S]*"guests": "6"/) } },
    ]);
    expect(JSON.stringify(messages)).not.toContain('not told');
    for (const name of ['dinner', 'answer_run', 'none', '__proto__'])
      await expect(client.getPrompt({ name })).rejects.toThrow('There is no such prompt');
  });

  it.each([
    ['notice', undefined, ['interrupt']],
    ['info', 'info', ['run-start', 'node-start', 'interrupt']],
    ['debug', 'debug', ['run-start', 'node-start', 'node-end', 'edge', 'interrupt']],
    ['error', 'error', []],
  ] as const)('sends log messages of a run at level %s', async (_, level, expected) => {
    const client = await connect(await listen());
    const lines: { readonly level: string; readonly data: { readonly event: string } }[] = [];
    client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => void lines.push(params as (typeof lines)[number]));
    if (level !== undefined) await client.setLoggingLevel(level);
    await call(client, 'dinner', { guests: 6 });
    expect(lines.map(({ data }) => data.event)).toEqual(expected);
  });

  it('logs a failure by its code, without its message', async () => {
    const client = await connect(await listen());
    const lines: unknown[] = [];
    client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => void lines.push(params));
    await client.setLoggingLevel('debug');
    await call(client, 'dinner', { guests: 99 });
    expect(lines).toContainEqual(expect.objectContaining({ level: 'error', logger: 'agent-machines' }));
    expect(JSON.stringify(lines)).not.toMatch(/secret|passwd|Fish/);
  });

  it('describes how to answer a waiting run to a client without elicitation', async () => {
    const client = await connect(await listen());
    const told: string[] = [];
    const waits = await call(
      client,
      'dinner',
      { guests: 6 },
      { onprogress: ({ message }: { message?: string }) => told.push(message ?? '') },
    );
    const { runId, questions } = waits.structuredContent as { runId: string; questions: { interruptId: string }[] };
    expect(waits.structuredContent).toMatchObject({
      status: 'waiting',
      questions: [{ accepts: ['APPROVE', 'REVISE'], question: 'Fish?\u202e' }],
    });
    expect(textOf(waits)).toContain('answer_run');
    expect(told).toEqual(expect.arrayContaining(['started dinner', 'plan#1']));
    expect((await call(client, 'show_run', { runId })).structuredContent).toMatchObject({ status: 'waiting' });
    const interruptId = questions[0]?.interruptId ?? '';
    const refusal = await call(client, 'answer_run', { runId, interruptId, event: { type: 'REVISE' } });
    expect([refusal.isError, textOf(refusal)]).toEqual([true, expect.stringContaining('EVENT_INVALID')]);
    const done = await call(client, 'answer_run', { runId, interruptId, event: { type: 'APPROVE' } });
    expect([done.structuredContent, textOf(done)]).toEqual([{ runId, status: 'done', output: { answer: 'Fish for 6' } }, 'Fish for 6']);
    const late = await call(client, 'answer_run', { runId, interruptId, event: { type: 'REVISE', menu: 'Pie' } });
    expect([late.isError, textOf(late)]).toEqual([true, expect.stringMatching(/INTERRUPT_ANSWERED|RUN_ENDED/)]);
  });

  it('neither shows an answer that a guard holds nor takes a decision about it', async () => {
    const model = scriptedModel([{ reply: 'SECRET' }]);
    const holds: TextGuard = { name: 'holds', at: ['answer'], check: () => ({ as: 'hold', reason: 'x' }) };
    const workflow = toolAgent({ model, guards: [holds] });
    const asked: string[] = [];
    const agent = { id: 'agent', workflow: workflow as McpWorkflow['workflow'] };
    const client = await connect(await listen({}, [agent]), async (message) => {
      asked.push(message);
      return { action: 'accept', content: { decision: 'APPROVE' } };
    });
    const waits = await call(client, 'agent', { input: 'q' });
    const { runId } = waits.structuredContent as { readonly runId: string };
    const { result } = await runtime.get(runId);
    const interruptId = result?.status === 'waiting' ? (result.interrupt?.id ?? '') : '';
    const refusal = await call(client, 'answer_run', { runId, interruptId, event: { type: 'APPROVE' } });
    expect(textOf(refusal)).toContain('INTERRUPT_UNKNOWN');
    const seen = [waits, await call(client, 'show_run', { runId }), await client.readResource({ uri: `agent-machines://runs/${runId}` })];
    expect([asked, JSON.stringify([refusal, ...seen]).includes('SECRET')]).toEqual([[], false]);
    expect([waits.structuredContent?.status, textOf(waits)]).toEqual(['waiting', expect.stringContaining('waits for a review')]);
  });

  it('asks the human of a client with elicitation, and again with the error', async () => {
    const { client, asked } = await answering([
      { decision: 'REVISE', details: 'x' },
      { decision: 'REVISE', details: 'Pie' },
      { decision: 'REVISE', details: '{"menu":"Soup"}' },
      { decision: 'APPROVE' },
    ]);
    expect(textOf(await call(client, 'dinner', { guests: 2 }))).toBe('Soup for 2');
    expect(asked.map((message) => message.split('\n\n').slice(1))).toEqual([
      ['Fish?'],
      ['Fish?', expect.stringContaining('refused')],
      ['Pie?'],
      ['Soup?'],
    ]);
  });

  it('states that a long question is shortened', async () => {
    const { client, asked } = await answering([{ decision: 'REVISE', details: 'x'.repeat(9_000) }, { decision: 'APPROVE' }]);
    await call(client, 'dinner', { guests: 2 });
    expect(asked.map((message) => message.includes('which has 9001 characters'))).toEqual([false, true]);
    expect(asked[1]?.length).toBeLessThan(8_500);
  });

  it('rejects an approval with more words', async () => {
    const { client, asked } = await answering([
      { decision: 'APPROVE', details: 'but with chips' },
      { decision: 'APPROVE', details: '{"menu":"Chips"}' },
      { decision: 'APPROVE', details: ' ' },
    ]);
    expect(textOf(await call(client, 'dinner', { guests: 2 }))).toBe('Fish for 2');
    expect(asked.map((message) => message.includes('The event APPROVE is invalid'))).toEqual([false, true, true]);
  });

  it.each([
    ['declined', () => ({ action: 'decline' })],
    ['cancelled', () => ({ action: 'cancel' })],
    ['answered with nothing', () => ({ action: 'accept' })],
    ['answered with an unknown decision', () => ({ action: 'accept', content: { decision: 'PAY' } })],
    ['an error', () => Promise.reject(new Error('no'))],
    ['ignored', () => new Promise(() => {})],
  ])('leaves a run waiting if its question is %s', async (_, answer) => {
    const client = await connect(await listen({ answerWithinMs: 200 }), answer as Answer);
    expect((await call(client, 'dinner', { guests: 2 })).structuredContent).toMatchObject({ status: 'waiting' });
  });

  it('asks field by field if there is one event, and reports the error', async () => {
    const client = new Client({ name: 'test', version: '1' }, { capabilities: { elicitation: {} } });
    const asked: unknown[] = [];
    const answers = [
      { size: 'large', count: 99 },
      { size: 'large', count: 3, type: 'OTHER' },
    ] as const;
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
      asked.push({ ...params, message: params.message.split('\n\n').slice(1) });
      return { action: 'accept', content: { ...answers[asked.length - 1] } };
    });
    await client.connect(new StreamableHTTPClientTransport(new URL(await listen({}, [shop]))) as never);
    closers.push(() => client.close());
    expect((await call(client, 'shop')).structuredContent).toMatchObject({ status: 'done', output: { answer: '3 large' } });
    expect(asked).toMatchObject([
      {
        message: ['What shall it be?'],
        requestedSchema: {
          type: 'object',
          properties: { size: { type: 'string', enum: ['small', 'large'], default: 'small' }, count: { type: 'integer', maximum: 9 } },
          required: ['count'],
        },
      },
      { message: ['What shall it be?', expect.stringMatching(/refused: .*count/s)] },
    ]);
  });

  it('completes arguments and ids of runs', async () => {
    const client = await connect(await listen({}, [shop]));
    const complete = async (
      ref: { type: 'ref/prompt'; name: string } | { type: 'ref/resource'; uri: string },
      name: string,
      value: string,
    ) => (await client.complete({ ref, argument: { name, value } })).completion.values;
    const prompt = { type: 'ref/prompt', name: 'shop' } as const;
    expect(await complete(prompt, 'colour', 'R')).toEqual(['red', 'rose']);
    expect(await complete(prompt, 'gift', '')).toEqual(['true', 'false']);
    for (const [name, value] of [
      ['note', ''],
      ['colour', 'green'],
      ['toString', ''],
      ['other', ''],
    ] as const)
      expect(await complete(prompt, name, value)).toEqual([]);
    const { structuredContent } = await call(client, 'shop');
    const { runId } = structuredContent as { readonly runId: string };
    const runs = { type: 'ref/resource', uri: 'agent-machines://runs/{runId}' } as const;
    expect([await complete(runs, 'runId', runId.slice(0, 4)), await complete(runs, 'runId', 'x')]).toEqual([[runId], []]);
  });

  it('withdraws a question that another client has answered, and returns the result to both', async () => {
    const url = await listen();
    let runId = '';
    const first = await connect(url, () => new Promise(() => {}));
    const called = call(first, 'dinner', { guests: 3 });
    await vi.waitFor(async () => {
      const [run] = await runtime.list({ status: 'waiting' });
      runId = run?.id ?? '';
      expect(runId).not.toBe('');
    });
    const second = await connect(url);
    const { questions } = (await call(second, 'show_run', { runId })).structuredContent as { questions: { interruptId: string }[] };
    const answered = await call(second, 'answer_run', { runId, interruptId: questions[0]?.interruptId, event: { type: 'APPROVE' } });
    expect([textOf(answered), textOf(await called)]).toEqual(['Fish for 3', 'Fish for 3']);
  });

  it('cancels the run of a cancelled call, but not when the client disconnects', async () => {
    const url = await listen();
    const client = await connect(url);
    const abort = new AbortController();
    const seen = expect(call(client, 'endless', {}, { signal: abort.signal })).rejects.toThrow();
    await vi.waitFor(async () => expect(await runtime.list({ status: 'running' })).toHaveLength(1));
    abort.abort('enough');
    await seen;
    await vi.waitFor(async () => expect(await runtime.list({ status: 'cancelled' })).toHaveLength(1));
    expect(aborted).toBe(1);
    const other = await connect(url);
    const left = call(other, 'endless').catch(() => 'left');
    await vi.waitFor(async () => expect(await runtime.list({ status: 'running' })).toHaveLength(1));
    await (other.transport as StreamableHTTPClientTransport).terminateSession();
    await other.close();
    expect(await left).toBe('left');
    expect([await runtime.list({ status: 'running' }), aborted]).toEqual([[expect.anything()], 1]);
  });

  it('reports an error without internal details', async () => {
    const client = await connect(await listen());
    const failed = await call(client, 'dinner', { guests: 99 });
    expect([failed.isError, textOf(failed)]).toEqual([true, expect.not.stringContaining('passwd')]);
    const invalid = await call(client, 'dinner', { guests: 'many' });
    expect([invalid.isError, textOf(invalid)]).toEqual([true, expect.stringContaining('TOOL_INPUT_INVALID')]);
    for (const runId of ['r_UNKNOWN', '../x', '__proto__']) expect((await call(client, 'show_run', { runId })).isError).toBe(true);
    await expect(call(client, 'none')).rejects.toThrow('There is no tool');
  });

  it('lists the runs as resources', async () => {
    const client = await connect(await listen());
    const { structuredContent } = await call(client, 'dinner', { guests: 1 });
    const { runId } = structuredContent as { runId: string };
    const { resources } = await client.listResources();
    expect(resources.map(({ uri, title }) => [uri, title])).toEqual([[`agent-machines://runs/${runId}`, 'dinner, waiting']]);
    const { contents } = await client.readResource({ uri: resources[0]?.uri ?? '' });
    expect(JSON.parse((contents[0] as { text: string }).text)).toMatchObject({ runId, input: { guests: 1 }, status: 'waiting' });
    await expect(client.readResource({ uri: 'agent-machines://runs/none' })).rejects.toThrow('no such resource');
  });

  it('rejects other hosts, origins and paths, and limits the sessions', async () => {
    const url = await listen({ maxSessions: 1, hosts: ['127.0.0.1:1'] });
    expect((await fetch(url, { method: 'POST' })).status).toBe(403);
    const open = await listen({ maxSessions: 1 });
    expect((await fetch(open.replace('/mcp', '/other'))).status).toBe(404);
    const first = await connect(open);
    await connect(open);
    await expect(first.listTools()).rejects.toThrow();
  });

  it.each([
    [[{ ...workflows[0], id: 'a b' }]],
    [[{ ...workflows[0], id: 'show_run' }]],
    [[workflows[0], workflows[0]]],
    [[{ ...workflows[0], inputSchema: { type: 'array' } }]],
  ])('rejects workflows that cannot be tools', (wrong) => {
    expect(() => mcpRoutes({ runtime, workflows: wrong as McpWorkflow[] })).toThrow(expect.objectContaining({ code: 'OPTION_INVALID' }));
  });
});

it('follows a run that its host starts, up to its end', async () => {
  const space = {
    runtime,
    workflows,
    async start({ input }: { input: Json }) {
      const run = runtime.start(dinner, input as { guests: number });
      for await (const _ of run.events()) break; // it is in the store
      return { runId: run.id };
    },
    // as the server does: they end with the event, which is a moment before the end is known
    async *events(runId: string, { from = 1 }: { from?: number }) {
      for await (const event of runtime.events(runId, { from })) {
        yield event;
        if (event.type === 'interrupt' || event.type === 'run-end') return;
      }
    },
  };
  const routes = mcpRoutes(space);
  const server = serve({ fetch: routes.fetch, port: 0, hostname: '127.0.0.1' });
  await new Promise((resolve) => server.once('listening', resolve));
  closers.push(async () => {
    await routes.close();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  const client = await connect(`http://127.0.0.1:${port}/mcp`, (_, decide) => decide({ decision: 'APPROVE' }));
  expect(textOf(await call(client, 'dinner', { guests: 2 }))).toBe('Fish for 2');
});

describe('serveMcpStdio', () => {
  it('serves one client until it disconnects, and writes only messages', async () => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    const written: string[] = [];
    output.on('data', (bytes: Buffer) => written.push(...bytes.toString().split('\n').filter(Boolean)));
    const served = serveMcpStdio({ runtime, workflows }, { input, output });
    const send = (message: object): boolean => input.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
    send({
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } },
    });
    send({ method: 'notifications/initialized' });
    send({ id: 2, method: 'tools/list' });
    await vi.waitFor(() => expect(written.map((line) => (JSON.parse(line) as { id: number }).id)).toEqual([1, 2]));
    input.end();
    await served;
  });
});
