// Budgets of model calls: what is reserved, paid, refused and continued.
import { type ChatModel, createRuntime, memoryStore, type Run, type RunStore, WorkflowError } from 'agent-machines';
import { toolAgent } from 'agent-machines/machines/tool-agent';
import { cachedModel, fallbackModel, scriptedModel } from 'agent-machines/models';
import { type ModelBudgetOptions, modelBudget } from 'agent-machines/stores';
import { asTool, defineTool } from 'agent-machines/tools';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { spentOfBudget } from '../../fixtures/shared-budget.ts';
import { sqliteFiles } from '../../fixtures/sqlite-files.ts';

const { newPath, openStore } = sqliteFiles('model-budget-');

const prices = { small: { inputPerMillion: 1, outputPerMillion: 10 }, large: { inputPerMillion: 10, outputPerMillion: 100 } };

/** Answers with its usage, and remembers the requests that it was sent. */
const modelThat = (
  answer: (request: Parameters<ChatModel['generate']>[0], call: number) => { readonly inputTokens: number; readonly outputTokens: number },
  name = 'small',
) => {
  let calls = 0;
  const limits: (number | undefined)[] = [];
  const model: ChatModel = {
    name,
    async generate(request) {
      limits.push(request.maxOutputTokens);
      await new Promise((resolve) => setTimeout(resolve, 1));
      return { text: 'Done.', toolCalls: [], usage: answer(request, calls++), model: name, cached: false };
    },
  };
  return { model, limits, calls: () => calls };
};

const cost = { inputTokens: 100, outputTokens: 20 }; // 0.0003 usd

const askWith = (model: ChatModel, options: Omit<ModelBudgetOptions, 'store'>, store: RunStore = memoryStore()) => {
  const budget = modelBudget({ store, prices, ...options });
  const workflow = toolAgent({ model });
  const runtime = createRuntime({ store, budget, workflows: [workflow] });
  return { budget, runtime, workflow, ask: (options = {}): Run<unknown> => runtime.start(workflow, { input: 'Hello' }, options) };
};

it('counts tokens, calls and money of a run, a thread and the tenant', async () => {
  const { model, limits } = modelThat(() => cost);
  const { ask, budget } = askWith(model, { perRun: { usd: 1 }, perThread: { tokens: 1e6 }, perTenant: { calls: 9 } });
  const first = ask({ threadId: 't' });
  await first.result;
  await ask({ threadId: 't' }).result;
  await ask().result;
  const nothing = { usd: 0, tokens: 0, calls: 0 };
  const one = { usd: 0.0003, tokens: 120, calls: 1, reserved: nothing };
  expect(await budget.spent({ runId: first.id })).toEqual(one);
  expect(await budget.spent({ threadId: 't' })).toEqual({ usd: 0.0006, tokens: 240, calls: 2, reserved: nothing });
  expect(await budget.spent()).toEqual({ usd: 0.0009, tokens: 360, calls: 3, reserved: nothing });
  expect(await budget.spent({ runId: 'r_unknown' })).toEqual({ ...nothing, reserved: nothing });
  expect(limits).toEqual([4096, 4096, 4096]);
});

it('sends its bound only with requests that have none, to models that have none', async () => {
  const { model, limits } = modelThat(() => cost);
  const { ask } = askWith({ ...model, maxOutputTokens: 50 }, { perRun: { tokens: 1e6 }, maxOutputTokens: 70 });
  await ask().result;
  expect(limits).toEqual([undefined]);
});

it('fails a run before a call that may cost too much, and continues it under a higher limit without asking again', async () => {
  const store = openStore(newPath());
  let lookups = 0;
  const look = defineTool({
    name: 'look',
    description: 'Looks.',
    access: 'compute',
    input: z.object({}),
    execute: async () => ({ seen: ++lookups }),
  });
  const model = scriptedModel(
    [
      { reply: { toolCalls: [{ name: 'look', arguments: {} }] }, usage: cost },
      { reply: 'I have seen it.', usage: cost },
    ],
    { name: 'small' },
  );
  const workflow = toolAgent({ model, tools: [look] });
  const limit = { usd: 0.0005 };
  const budget = modelBudget({ store, prices, perRun: () => limit, maxOutputTokens: 20 });
  const runtime = createRuntime({ store, budget, workflows: [workflow] });
  const run = runtime.start(workflow, { input: 'Look.' });
  const failed = await run.result;
  expect(failed).toMatchObject({
    status: 'failed',
    resumable: true,
    error: { code: 'BUDGET_EXCEEDED', data: { of: 'run', kind: 'usd', limit: 0.0005, spent: 0.0003 } },
  });
  expect([lookups, model.requests.length]).toEqual([1, 1]);
  expect((await budget.spent({ runId: run.id })).reserved).toEqual({ usd: 0, tokens: 0, calls: 0 });
  limit.usd = 0.01;
  const done = await (await runtime.retry(run.id)).result;
  expect(done).toMatchObject({ status: 'done', output: { answer: 'I have seen it.' } });
  expect([lookups, model.requests.length]).toEqual([1, 2]);
  expect(await budget.spent({ runId: run.id })).toMatchObject({ usd: 0.0006, calls: 2 });
});

it.each(['memory', 'sqlite'])('keeps 50 runs at once within a budget of the tenant (%s)', async (kind) => {
  const store = kind === 'memory' ? memoryStore() : openStore(newPath());
  const { model, calls } = modelThat((_, call) => ({ inputTokens: 20 + ((call * 7) % 60), outputTokens: (call * 13) % 100 }));
  const { ask, budget } = askWith(model, { perTenant: { usd: 0.03 }, maxOutputTokens: 100 }, store);
  const results = await Promise.all(Array.from({ length: 50 }, () => ask().result));
  const failed = results.filter(({ status }) => status === 'failed');
  expect(results.filter(({ status }) => status === 'done')).toHaveLength(calls());
  expect(failed.length).toBeGreaterThan(0);
  for (const result of failed) expect(result).toMatchObject({ resumable: true, error: { code: 'BUDGET_EXCEEDED' } });
  const { usd, reserved } = await budget.spent();
  expect(usd).toBeLessThanOrEqual(0.03);
  expect(usd).toBeGreaterThan(0);
  expect(reserved.usd).toBe(0);
});

it('counts a call whose process died at its bound', async () => {
  const store = memoryStore();
  const budget = modelBudget({ store, prices, perTenant: { usd: 0.002 } });
  const call = { model: 'small', inputTokens: 0, outputTokens: 100 };
  await budget.reserve(call, { runId: 'r_1' });
  const second = modelBudget({ store, prices, perTenant: { usd: 0.0015 } });
  await expect(second.reserve(call, { runId: 'r_2' })).rejects.toMatchObject({
    code: 'BUDGET_EXCEEDED',
    data: { spent: 0, reserved: 0.001, needed: 0.001 },
  });
  expect(await second.spent()).toMatchObject({ usd: 0, reserved: { usd: 0.001, tokens: 100, calls: 1 } });
});

it('gives back what other limits had reserved when one refuses', async () => {
  const budget = modelBudget({ perRun: { calls: 9 }, perThread: { calls: 0 } });
  await expect(budget.reserve({ model: 'x', inputTokens: 1, outputTokens: 1 }, { runId: 'r', threadId: 't' })).rejects.toMatchObject({
    code: 'BUDGET_EXCEEDED',
    data: { of: 'thread', id: 't', kind: 'calls' },
  });
  expect(await budget.spent({ runId: 'r' })).toEqual({ usd: 0, tokens: 0, calls: 0, reserved: { usd: 0, tokens: 0, calls: 0 } });
});

it('settles a call once, whoever settles it again', async () => {
  const budget = modelBudget({ perRun: { tokens: 100 } });
  const reservation = await budget.reserve({ model: 'x', inputTokens: 10, outputTokens: 50 }, { runId: 'r' });
  for (const usage of [cost, { inputTokens: 1, outputTokens: 1 }]) await reservation.settle({ model: 'x', usage });
  await reservation.settle('all');
  expect(await budget.spent({ runId: 'r' })).toMatchObject({ tokens: 120, calls: 1 });
});

describe('the cost of a call that has no reply', () => {
  const failing = (error: unknown, before?: (request: Parameters<ChatModel['generate']>[0]) => void): ChatModel => ({
    name: 'small',
    async generate(request) {
      before?.(request);
      throw error;
    },
  });
  const failure = (code: 'MODEL_UNAVAILABLE' | 'MODEL_TRUNCATED' | 'MODEL_REFUSED', data = {}) =>
    new WorkflowError({ code, message: 'No.', data });
  const spentBy = async (model: ChatModel): Promise<number> => {
    const { ask, budget } = askWith(model, { perTenant: { usd: 1 }, maxOutputTokens: 1_000 });
    await ask().result;
    return (await budget.spent()).tokens;
  };

  it('is nothing if the provider could not be reached', async () => {
    expect(await spentBy(failing(failure('MODEL_UNAVAILABLE', { status: 503 })))).toBe(0);
  });

  it('is what the provider reports', async () => {
    expect(await spentBy(failing(failure('MODEL_TRUNCATED', { usage: cost })))).toBe(120);
  });

  it.each([
    ['a time-out', failing(failure('MODEL_UNAVAILABLE', { limit: 'totalTimeoutMs', limitMs: 5 }))],
    ['a refusal', failing(failure('MODEL_REFUSED'))],
    ['an unknown error', failing(new TypeError('odd'))],
    ['an error after a token', failing(failure('MODEL_UNAVAILABLE'), ({ onToken }) => onToken?.('Hel'))],
  ])('is the bound after %s', async (_, model) => {
    expect(await spentBy(model)).toBeGreaterThan(1_000);
  });

  it.each([
    { inputTokens: 0, outputTokens: 0 },
    { inputTokens: Number.NaN, outputTokens: 5 },
    { inputTokens: Number.POSITIVE_INFINITY, outputTokens: 5 },
    { inputTokens: -5, outputTokens: 10 },
    { inputTokens: 1, outputTokens: 10, cachedInputTokens: Number.NaN },
  ])('is the bound of a reply that reports %j', async (usage) => {
    expect(await spentBy(modelThat(() => usage).model)).toBeGreaterThan(1_000);
  });
});

it('takes nothing for a reply from a cache', async () => {
  const { model, calls } = modelThat(() => cost);
  const cached = cachedModel({ ...model, generate: (request) => model.generate(request) });
  const { ask, budget } = askWith(
    { ...cached, generate: (request) => cached.generate({ ...request, deterministic: true }) },
    { perTenant: { calls: 9 } },
  );
  await ask().result;
  await ask().result;
  expect([calls(), (await budget.spent()).calls]).toEqual([1, 1]);
});

it('reserves the dearest of the models behind a fallback, and pays for the one that answers', async () => {
  const { model: small } = modelThat(() => cost);
  const { model: large } = modelThat(() => cost, 'large');
  const call = { inputTokens: 0, outputTokens: 100 };
  const { ask, budget } = askWith(fallbackModel([small, large]), { perTenant: { usd: 1 } });
  await ask().result;
  expect((await budget.spent()).usd).toBe(0.0003);
  await budget.reserve({ ...call, model: 'small → large' }, { runId: 'r' });
  expect((await budget.spent()).reserved.usd).toBe(0.01);
});

it('begins again with the period of the tenant', async () => {
  const path = newPath();
  const monthly = modelBudget({ store: openStore(path), perTenant: { calls: 1 }, period: 'month' });
  const call = { model: 'x', inputTokens: 1, outputTokens: 1 };
  const { settle } = await monthly.reserve(call, { runId: 'r' });
  await settle('all');
  await expect(monthly.reserve(call, { runId: 'r' })).rejects.toMatchObject({ code: 'BUDGET_EXCEEDED' });
  const daily = modelBudget({ store: openStore(path), perTenant: { calls: 1 }, period: 'day' });
  await (await daily.reserve(call, { runId: 'r' })).settle('all');
  expect((await daily.spent()).calls).toBe(1);
  await settle('none'); // of a period that is over
  expect((await daily.spent()).calls).toBe(1);
});

it('forgets what a thread and its runs have spent when they are removed', async () => {
  const store = openStore(newPath());
  const { model } = modelThat(() => cost);
  const { ask, budget, runtime } = askWith(model, { perRun: { calls: 9 }, perThread: { calls: 9 }, perTenant: { calls: 9 } }, store);
  const run = ask({ threadId: 't' });
  await run.result;
  await store.remove({ threadId: 't' });
  expect([
    (await budget.spent({ runId: run.id })).calls,
    (await budget.spent({ threadId: 't' })).calls,
    (await budget.spent()).calls,
  ]).toEqual([0, 0, 1]);
  await runtime.close();
});

it('does not open when its note is damaged', async () => {
  const store = memoryStore();
  const budget = modelBudget({ store, perTenant: { calls: 9 } });
  for (const text of ['', '{', 'null', '{"spent":{},"open":{}}', '{"spent":{"usd":0,"tokens":0,"calls":0},"open":{"a":1}}']) {
    await store.storage?.note?.('budget tenant all', () => ({ text }));
    await expect(budget.reserve({ model: 'x', inputTokens: 1 }, { runId: 'r' })).rejects.toMatchObject({ code: 'JOURNAL_CORRUPT' });
  }
});

it('fails the run for a model without a price, before the call', async () => {
  const { model, calls } = modelThat(() => cost, 'unknown');
  const { ask } = askWith(model, { perRun: { usd: 1 } });
  expect(await ask().result).toMatchObject({
    status: 'failed',
    resumable: true,
    error: { code: 'OPTION_INVALID', data: { option: 'prices' } },
  });
  expect(calls()).toBe(0);
});

it('refuses options that it cannot use', () => {
  const bad: readonly object[] = [
    { perRun: 5 },
    { perRun: { euros: 1 } },
    { perThread: { usd: -1 } },
    { perTenant: { tokens: Number.NaN } },
    { period: 'week' },
    { prices: { small: { inputPerMillion: 1 } } },
    { maxOutputTokens: 0 },
    { store: {} },
    { limit: 1 },
  ];
  for (const options of bad)
    expect(() => modelBudget(options), JSON.stringify(options)).toThrow(expect.objectContaining({ code: 'OPTION_INVALID' }));
  expect(() => createRuntime({ budget: { reserve: 1 } as never })).toThrow(expect.objectContaining({ code: 'OPTION_INVALID' }));
});

it('keeps processes that share a file within the budget, also those that are killed', async () => {
  const path = newPath();
  const { usd, reserved, reported, ends } = await spentOfBudget(path, openStore(path));
  expect(usd + reserved).toBeLessThanOrEqual(0.03);
  expect(usd).toBeGreaterThanOrEqual(reported - 1e-9);
  expect(reserved).toBeGreaterThan(0);
  expect(ends).toEqual(['BUDGET_EXCEEDED', 'done']);
}, 60_000);

it('counts the calls of an agent that another one calls', async () => {
  const inner = toolAgent({ id: 'inner', model: scriptedModel([{ reply: 'Seven.', usage: cost }], { name: 'small' }) });
  const outer = scriptedModel(
    [
      { reply: { toolCalls: [{ name: 'ask_inner', arguments: { input: 'How many?' } }] }, usage: cost },
      { reply: 'Seven.', usage: cost },
    ],
    { name: 'small' },
  );
  const budget = modelBudget({ prices, perRun: { usd: 1 } });
  const tools = [asTool(inner, { name: 'ask_inner', description: 'Asks.' })];
  const run = createRuntime({ budget }).start(toolAgent({ model: outer, tools }), { input: 'How many?' });
  expect(await run.result).toMatchObject({ status: 'done', usage: { inputTokens: 300, outputTokens: 60 } });
  expect(await budget.spent({ runId: run.id })).toMatchObject({ calls: 3, tokens: 360, usd: 0.0009 });
});

it('counts a call that a pause has cut off at its bound, and asks again afterwards', async () => {
  const store = memoryStore();
  let calls = 0;
  const begun = Promise.withResolvers<void>();
  const model: ChatModel = {
    name: 'small',
    generate: ({ signal }) =>
      new Promise((resolve, reject) => {
        if (calls++ > 0) resolve({ text: 'Now.', toolCalls: [], usage: cost, model: 'small', cached: false });
        signal?.addEventListener('abort', () => reject(signal.reason));
        begun.resolve();
      }),
  };
  const { ask, budget, runtime } = askWith(model, { perRun: { calls: 2 } }, store);
  const run = ask();
  await begun.promise;
  await runtime.pause(run.id);
  expect(await budget.spent({ runId: run.id })).toMatchObject({ calls: 1 });
  expect(await (await runtime.resume(run.id)).result).toMatchObject({ status: 'done' });
  expect(await budget.spent({ runId: run.id })).toMatchObject({ calls: 2, reserved: { calls: 0 } });
});
