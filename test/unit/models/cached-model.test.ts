import { type ChatModel, type ChatReply, type ChatRequest, WorkflowError } from 'agent-machines';
import { type CachedModelOptions, cachedModel, fallbackModel, scriptedModel, withRuleInput } from 'agent-machines/models';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { offlineModel } from '../../../src/models/offline/offline-model.ts';

const ask = (content: string, more: Partial<ChatRequest> = {}): ChatRequest => ({
  task: 'a',
  messages: [{ role: 'user', content }],
  deterministic: true,
  ...more,
});
const paid = { inputTokens: 9, outputTokens: 3 };
const free = { inputTokens: 0, outputTokens: 0 };

/** A model that answers when it is told to: each request waits for its own turn. */
function heldModel(): ChatModel & { readonly turns: { readonly request: ChatRequest; settle(outcome: string | Error): void }[] } {
  const turns: { readonly request: ChatRequest; settle(outcome: string | Error): void }[] = [];
  return {
    name: 'held',
    turns,
    generate: (request) =>
      new Promise<ChatReply>((resolve, reject) => {
        request.signal?.addEventListener('abort', () => reject(request.signal?.reason));
        const settle = (outcome: string | Error): void =>
          outcome instanceof Error ? reject(outcome) : resolve({ text: outcome, toolCalls: [], usage: paid, model: 'held', cached: false });
        turns.push({ request, settle });
      }),
  };
}

describe('cachedModel', () => {
  it('answers an equal request from memory at no cost, with the text as one token', async () => {
    const model = cachedModel(scriptedModel([{ reply: 'Paris it is', usage: paid, tokens: ['Paris', ' it is'] }], { name: 'script' }));
    const tokens: string[] = [];
    const onToken = (text: string): void => void tokens.push(text);
    const first = await model.generate(ask('where', { onToken, temperature: 0, maxOutputTokens: 9 }));
    const second = await model.generate(
      ask('where', { onToken, maxOutputTokens: 9, temperature: 0, signal: new AbortController().signal }),
    );
    expect(model.name).toBe('script');
    expect(first).toMatchObject({ text: 'Paris it is', usage: paid, cached: false });
    expect(second).toEqual({ ...first, usage: free, cached: true });
    expect(tokens).toEqual(['Paris', ' it is', 'Paris it is']);
    expect(model.stats()).toEqual({ hits: 1, misses: 1, entries: 1 });
  });

  it('emits no token for a reply with tool calls only', async () => {
    const model = cachedModel(scriptedModel([{ reply: { toolCalls: [{ name: 'add', arguments: {} }] } }]));
    await model.generate(ask('x'));
    const onToken = vi.fn<(text: string) => void>();
    expect(await model.generate(ask('x', { onToken }))).toMatchObject({ cached: true, toolCalls: [{ name: 'add' }] });
    expect(onToken).not.toHaveBeenCalled();
  });

  it('keeps reasoning and provider data, and emits the reasoning again', async () => {
    const providerData = { from: 'there m', data: { signature: 'x' } };
    const model = cachedModel(scriptedModel([{ reply: 'Paris', reasoning: 'France.', providerData }]));
    const heard: string[] = [];
    const onReasoning = (text: string): void => void heard.push(text);
    await model.generate(ask('where', { onReasoning }));
    expect(await model.generate(ask('where', { onReasoning }))).toMatchObject({ cached: true, reasoning: 'France.', providerData });
    expect(heard).toEqual(['France.', 'France.']);
  });

  it('ignores rule inputs and undefined options in the key', async () => {
    const model = cachedModel(scriptedModel([{ reply: 'x' }]));
    await withRuleInput(model, { at: 1 }).generate(ask('x'));
    expect(await withRuleInput(model, { at: 2 }).generate(ask('x', { temperature: undefined }))).toMatchObject({ cached: true });
  });

  it('does not cache or share the answer of a rule that reads its input', async () => {
    const model = cachedModel(offlineModel<{ a: { readonly at: number } }>({ a: async ({ ruleInput: { at } }) => `at ${at}` }));
    const at = (place: number): Promise<ChatReply> => withRuleInput(model, { at: place }).generate(ask('x'));
    const replies = [...(await Promise.all([at(1), at(2), at(3)])), await at(4)];
    expect(replies.map(({ text, cached }) => [text, cached])).toEqual([1, 2, 3, 4].map((place) => [`at ${place}`, false]));
    expect(model.stats()).toEqual({ hits: 0, misses: 4, entries: 0 });
  });

  it('does not share the error of a rule between requests', async () => {
    const model = cachedModel(
      offlineModel<{ a: number }>({
        a: async ({ ruleInput }) => {
          if (ruleInput === 1) throw new Error('not 1');
          return 'fine';
        },
      }),
    );
    const both = [1, 2].map((input) => withRuleInput(model, input).generate(ask('x')));
    expect((await Promise.allSettled(both)).map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
  });

  it('caches the answer of a rule that reads only the request', async () => {
    const model = cachedModel(offlineModel<{ a: number }>({ a: ({ messages }) => `${messages.length}` }));
    await withRuleInput(model, 1).generate(ask('x'));
    expect(await withRuleInput(model, 2).generate(ask('x'))).toMatchObject({ text: '1', cached: true });
  });

  it('caches the answer of a remote model in front of rules, but not those of the rules', async () => {
    const down = new WorkflowError({ code: 'MODEL_UNAVAILABLE', message: 'Down.', hint: 'Wait.', retryable: true });
    const remote = scriptedModel([{ reply: down }, { reply: 'remote' }]);
    const model = cachedModel(fallbackModel([remote, offlineModel<{ a: number }>({ a: ({ ruleInput }) => `rule ${ruleInput}` })]));
    const ask1 = (input: number): Promise<ChatReply> => withRuleInput(model, input).generate(ask('x'));
    expect([await ask1(1), await ask1(2), await ask1(3)].map(({ text, cached }) => [text, cached])).toEqual([
      ['rule 1', false],
      ['remote', false],
      ['remote', true],
    ]);
  });

  it.each<Partial<ChatRequest>>([
    { task: 'b' },
    { temperature: 1 },
    { messages: [{ role: 'system', content: 'x' }] },
    { output: { type: 'json' } },
    { tools: [{ name: 'add', description: '', inputSchema: {} }] },
  ])('calls the model again when the request differs in %j', async (difference) => {
    const model = cachedModel(scriptedModel([{ reply: 'one' }, { reply: 'two' }]));
    await model.generate(ask('x'));
    expect(await model.generate(ask('x', difference))).toMatchObject({ text: 'two', cached: false });
  });

  it('bypasses the cache for non-deterministic requests', async () => {
    const model = cachedModel(scriptedModel([{ reply: 'one' }, { reply: 'two' }]));
    await model.generate(ask('x', { deterministic: false }));
    expect(await model.generate(ask('x', { deterministic: undefined }))).toMatchObject({ text: 'two', cached: false });
    expect(model.stats()).toEqual({ hits: 0, misses: 0, entries: 0 });
  });

  it('does not cache a failure', async () => {
    const model = cachedModel(scriptedModel([{ reply: new Error('Down.') }, { reply: 'up' }]));
    await expect(model.generate(ask('x'))).rejects.toThrow('Down.');
    expect(await model.generate(ask('x'))).toMatchObject({ text: 'up', cached: false });
  });

  it('rejects with the reason of an abort even on a hit', async () => {
    const reason = new Error('Left.');
    const model = cachedModel(scriptedModel([{ reply: 'x' }]));
    await model.generate(ask('x'));
    await expect(model.generate(ask('x', { signal: AbortSignal.abort(reason) }))).rejects.toBe(reason);
  });

  it.each<CachedModelOptions>([{ maxEntries: 0 }, { ttlMs: -1 }, { maxSizeBytes: 0.5 }])('refuses the option %j', (options) => {
    expect(() => cachedModel(scriptedModel([]), options)).toThrow(expect.objectContaining({ code: 'OPTION_INVALID' }));
  });
});

describe('cachedModel: limits', () => {
  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });
  const echo: ChatModel = {
    name: 'echo',
    generate: async ({ messages }) => ({ text: messages[0]?.content ?? '', toolCalls: [], usage: paid, model: 'echo', cached: false }),
  };

  it('evicts the least recently used reply', async () => {
    const model = cachedModel(echo, { maxEntries: 2 });
    for (const content of ['a', 'b', 'a', 'c', 'a', 'b']) await model.generate(ask(content));
    expect(model.stats()).toEqual({ hits: 2, misses: 4, entries: 2 });
  });

  it('does not cache a reply above the size limit', async () => {
    const model = cachedModel(echo, { maxSizeBytes: 1000 });
    for (const content of ['é'.repeat(200), 'é'.repeat(300), 'é'.repeat(200)]) await model.generate(ask(content));
    expect(model.stats()).toEqual({ hits: 1, misses: 2, entries: 1 });
  });

  it('expires a reply', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    const now = vi.spyOn(performance, 'now').mockReturnValue(1);
    const passTo = (timeMs: number): void => {
      now.mockReturnValue(timeMs);
      vi.runAllTimers(); // the cache looks at the clock once per millisecond
    };
    const model = cachedModel(echo, { ttlMs: 1000 });
    await model.generate(ask('a'));
    passTo(1000);
    expect(await model.generate(ask('a'))).toMatchObject({ cached: true });
    passTo(1002);
    expect(model.stats()).toMatchObject({ entries: 0 });
    expect(await model.generate(ask('a'))).toMatchObject({ cached: false });
  });
});

describe('cachedModel: equal concurrent requests', () => {
  it('share one call', async () => {
    const held = heldModel();
    const model = cachedModel(held);
    const replies = [1, 2, 3].map(() => model.generate(ask('x')));
    held.turns[0]?.settle('one');
    expect((await Promise.all(replies)).map(({ text, cached, usage }) => ({ text, cached, usage }))).toEqual([
      { text: 'one', cached: false, usage: paid },
      { text: 'one', cached: true, usage: free },
      { text: 'one', cached: true, usage: free },
    ]);
    expect(held.turns).toHaveLength(1);
    expect(model.stats()).toEqual({ hits: 2, misses: 1, entries: 1 });
  });

  it('share its failure', async () => {
    const held = heldModel();
    const model = cachedModel(held);
    const replies = [1, 2].map(() => model.generate(ask('x')));
    const error = new Error('Down.');
    held.turns[0]?.settle(error);
    expect(await Promise.allSettled(replies)).toEqual([
      { status: 'rejected', reason: error },
      { status: 'rejected', reason: error },
    ]);
  });

  it('start one new call when the first is aborted', async () => {
    const held = heldModel();
    const model = cachedModel(held);
    const controller = new AbortController();
    const first = model.generate(ask('x', { signal: controller.signal }));
    const others = [1, 2].map(() => model.generate(ask('x')));
    controller.abort(new Error('Left.'));
    await expect(first).rejects.toThrow('Left.');
    await vi.waitFor(() => expect(held.turns).toHaveLength(2));
    held.turns[1]?.settle('two');
    expect((await Promise.all(others)).map(({ text, cached }) => ({ text, cached }))).toEqual([
      { text: 'two', cached: false },
      { text: 'two', cached: true },
    ]);
    expect(held.turns).toHaveLength(2);
  });

  it('keep the call running when another of them is aborted', async () => {
    const held = heldModel();
    const model = cachedModel(held);
    const controller = new AbortController();
    const first = model.generate(ask('x'));
    const second = model.generate(ask('x', { signal: controller.signal }));
    const reason = new Error('Left.');
    controller.abort(reason);
    await expect(second).rejects.toBe(reason);
    held.turns[0]?.settle('one');
    expect(await first).toMatchObject({ text: 'one', cached: false });
  });
});
