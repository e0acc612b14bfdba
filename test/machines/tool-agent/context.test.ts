// Data of a run for its tools and instructions, from its caller.
import { createRuntime, memoryStore } from 'agent-machines';
import { toolAgent } from 'agent-machines/machines/tool-agent';
import { type ScriptedReply, scriptedModel } from 'agent-machines/models';
import { asTool, defineTool, executeCalls, parseToolCall } from 'agent-machines/tools';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { calls, says } from './helpers.ts';

const orders = (seen: unknown[]) =>
  defineTool({
    name: 'orders',
    description: "The user's orders.",
    access: 'compute',
    context: z.object({ userId: z.string() }),
    input: z.strictObject({}),
    execute: async (_args, { context, runId, callId, attempt }) => {
      seen.push({ userId: context.userId, runId, callId, attempt });
      return { count: 3 };
    },
  });
const refund = (seen: unknown[]) =>
  defineTool({
    name: 'refund',
    description: 'Refunds an order.',
    access: 'write',
    needsApproval: true,
    context: z.object({ plan: z.enum(['free', 'paid']).default('free') }),
    input: z.strictObject({ order: z.string() }),
    execute: async ({ order }, { context }) => {
      seen.push({ order, plan: context.plan });
      return {};
    },
  });

describe('the context of a run', () => {
  it('reaches the tools by their schemas, with the ids of run and call, and no model request', async () => {
    const seen: unknown[] = [];
    const model = scriptedModel([calls(['orders', {}]), says('Three.')]);
    const agent = toolAgent({ model, tools: [orders(seen)] });
    const run = createRuntime().start(agent, { input: 'How many orders?', context: { userId: 'canary-77' } });
    expect(await run.result).toMatchObject({ status: 'done', output: { answer: 'Three.' } });
    expect(seen).toEqual([{ userId: 'canary-77', runId: run.id, callId: expect.stringMatching(/./), attempt: 1 }]);
    expect(JSON.stringify(model.requests)).not.toContain('canary-77');
  });

  it('is stored with the run: another process goes on with it after an approval', async () => {
    const store = memoryStore();
    const seen: unknown[] = [];
    const made = (script: Parameters<typeof scriptedModel>[0]) => {
      const agent = toolAgent({ model: scriptedModel(script), tools: [orders(seen), refund(seen)] });
      return { agent, runtime: createRuntime({ store, workflows: [agent] }) };
    };
    const first = made([calls(['refund', { order: '8' }])]);
    const run = first.runtime.start(first.agent, { input: 'Refund 8', context: { userId: 'u' } });
    const waiting = await run.result;
    await first.runtime.close();
    if (waiting.status !== 'waiting' || !waiting.interrupt) throw new Error('it does not wait');
    const later = made([says('Done.')]).runtime;
    const end = await (await later.send(run.id, { type: 'APPROVE' }, { interruptId: waiting.interrupt.id })).result;
    expect(end).toMatchObject({ status: 'done', output: { answer: 'Done.' } });
    expect(seen).toEqual([{ order: '8', plan: 'free' }]);
  });

  it('makes the instructions', async () => {
    const model = scriptedModel([says('Hi.')]);
    const context = z.object({ name: z.string() });
    const agent = toolAgent({ model, context, instructions: ({ name }) => `You talk to ${name}.`, tools: [] });
    await createRuntime().start(agent, { input: 'Hello', context: { name: 'Ada' } }).result;
    expect(model.requests[0]?.messages[0]?.content).toMatch(/^You talk to Ada\./);
  });

  it.each([
    [undefined, 'The context of the run does not match the schema of the tool "orders"'],
    [{ userId: 7 }, 'userId'],
    [{}, 'userId'],
  ])('that does not match is refused before there is a run: %j', async (context, message) => {
    const store = memoryStore();
    const runtime = createRuntime({ store });
    const agent = toolAgent({ model: scriptedModel([]), tools: [orders([])] });
    const start = async () => runtime.start(agent, { input: 'q', context } as never).result;
    await expect(start()).rejects.toMatchObject({ code: 'INPUT_INVALID', message: expect.stringContaining(message) });
    expect(await store.list({})).toEqual([]);
  });

  it('that nothing uses is refused, and one that is no JSON', async () => {
    const start = async (tools: Parameters<typeof toolAgent>[0], context: unknown) =>
      createRuntime().start(toolAgent({ model: scriptedModel([]), ...tools }), { input: 'q', context } as never).result;
    await expect(start({ tools: [] }, { userId: 'u' })).rejects.toMatchObject({
      code: 'INPUT_INVALID',
      message: 'The context of the run is not used by any tool of this agent.',
    });
    const dated = z.object({ at: z.date() });
    const notJson = start({ context: dated, instructions: () => 'x', tools: [] } as never, { at: new Date(0) });
    await expect(notJson).rejects.toMatchObject({ code: 'VALUE_NOT_JSON' });
  });

  it('is asked for by a tool outside a run', async () => {
    const alone = orders([]).execute({}, { signal: new AbortController().signal, idempotencyKey: 'k', attempt: 1 });
    await expect(alone).rejects.toMatchObject({ code: 'TOOL_FAILED', hint: expect.stringContaining('context') });
  });
});

describe('the context of a sub-agent', () => {
  const context = z.object({ userId: z.string() });
  const clerkOf = (seen: unknown[], ...script: readonly ScriptedReply[]) =>
    toolAgent({ model: scriptedModel(script), tools: [orders(seen)] });

  it('is that of the calling run, if the tool declares its schema', async () => {
    const seen: unknown[] = [];
    const clerk = asTool(clerkOf(seen, calls(['orders', {}]), says('Three.')), { name: 'clerk', description: 'Knows orders.', context });
    const model = scriptedModel([calls(['clerk', { input: 'How many?' }]), says('Three orders.')]);
    const lead = toolAgent({ model, tools: [clerk] });
    const runtime = createRuntime();
    expect(() => runtime.start(lead, { input: 'q' } as never)).toThrowError(expect.objectContaining({ code: 'INPUT_INVALID' }));
    const result = await runtime.start(lead, { input: 'q', context: { userId: 'canary-78' } } as never).result;
    expect(result).toMatchObject({ status: 'done', output: { answer: 'Three orders.' } });
    expect(seen).toMatchObject([{ userId: 'canary-78' }]);
    expect(JSON.stringify(model.requests)).not.toContain('canary-78');
  });

  it('is given to toInput, and reaches a workflow without a run, too', async () => {
    const seen: unknown[] = [];
    const clerk = asTool(clerkOf(seen, calls(['orders', {}]), says('Three.')), {
      name: 'clerk',
      description: 'Knows orders.',
      toInput: ({ input }: { readonly input: string }, given) => ({ input, context: { userId: `${context.parse(given).userId}!` } }),
    });
    const call = parseToolCall({ id: '1', name: 'clerk', arguments: '{"input":"q"}' }, { tools: [clerk] });
    const { results } = await executeCalls([call], { tools: [clerk], context: { userId: 'u' } });
    expect(results).toMatchObject([{ status: 'success', output: 'Three.' }]);
    expect(seen).toMatchObject([{ userId: 'u!' }]);
  });
});
