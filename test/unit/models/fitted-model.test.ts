import type { ChatRequest } from 'agent-machines';
import { boundMessageTokens } from 'agent-machines/memory';
import { cachedModel, contextTokensOf, fallbackModel, fittedModel, scriptedModel, withRuleInput } from 'agent-machines/models';
import { openaiModel } from 'agent-machines/models/openai';
import { offlineModel } from 'agent-machines/offline';
import { describe, expect, it } from 'vitest';

describe('contextTokensOf', () => {
  it.each([
    ['gpt-5-mini', 400_000],
    ['gpt-4.1-nano', 1_000_000],
    ['gpt-4o-mini', 128_000],
    ['gpt-4', 8_192],
    ['gpt-4-32k', 32_000],
    ['openai/gpt-4o', 128_000],
    ['moonshot-v1-8k', 8_000],
    ['phi-3-mini-128k-instruct', 128_000],
    ['claude-sonnet-4-5', 200_000],
    ['qwen3:8b', 32_768],
    ['my own model', 32_768],
    ['', 32_768],
  ])('of %s', (name, tokens) => {
    expect(contextTokensOf(name)).toBe(tokens);
  });
});

describe('fittedModel', () => {
  it('sends no more than the model takes', async () => {
    const requests: ChatRequest[] = [];
    const inner = scriptedModel([{ task: 't.t', reply: 'ok' }]);
    const model = fittedModel(
      {
        name: inner.name,
        generate(request) {
          requests.push(request);
          return inner.generate(request);
        },
      },
      { contextTokens: 1_000 },
    );
    await model.generate({ task: 't.t', messages: [{ role: 'user', content: 'word '.repeat(5_000) }] });
    expect(requests[0]?.messages[0]?.content).toMatch(/characters left out/);
    expect(model.name).toBe(inner.name);
  });

  it.each([
    ['the model', { maxOutputTokens: 6_000 }, {}, 2_000],
    ['the request, before the model', { maxOutputTokens: 1 }, { maxOutputTokens: 6_000 }, 2_000],
    ['nobody: a quarter of a small context', {}, {}, 6_000],
    ['a model whose bound leaves no room: a quarter is kept for what is asked', { maxOutputTokens: 64_000 }, {}, 2_000],
  ])('keeps the room of a reply free, as bounded by %s', async (_, bound, more, room) => {
    let sent = 0;
    const model = fittedModel(
      {
        name: 'm',
        ...bound,
        async generate({ messages }) {
          sent = messages.reduce((sum, message) => sum + boundMessageTokens(message), 0);
          return { text: 'ok', toolCalls: [], usage: { inputTokens: 1, outputTokens: 1 }, model: 'm', cached: false };
        },
      },
      { contextTokens: 8_000 },
    );
    await model.generate({ task: 't.t', messages: [{ role: 'user', content: 'word '.repeat(9_000) }], ...more });
    expect(sent).toBeLessThanOrEqual(room);
    expect(sent).toBeGreaterThan(room * 0.8);
  });

  it.each([
    ['cachedModel', cachedModel({ ...scriptedModel([]), maxOutputTokens: 7 })],
    [
      'fallbackModel, the largest',
      fallbackModel([{ ...scriptedModel([]), maxOutputTokens: 7 }, { ...scriptedModel([]), maxOutputTokens: 2 }, scriptedModel([])]),
    ],
    ['withRuleInput', withRuleInput({ ...offlineModel({}), maxOutputTokens: 7 }, {})],
    ['fittedModel', fittedModel({ ...scriptedModel([]), maxOutputTokens: 7 })],
    ['openaiModel', openaiModel({ model: 'm', apiKey: 'k', maxOutputTokens: 7 })],
    ['openaiModel with a field of its own', openaiModel({ model: 'm', apiKey: 'k', maxOutputTokens: 1, extraBody: { max_tokens: 7 } })],
  ])('%s says the bound', (_, model) => {
    expect(model.maxOutputTokens).toBe(7);
  });

  it.each([0, 999, 1.5, Number.NaN])('refuses %s as a context', (contextTokens) => {
    expect(() => fittedModel(scriptedModel([]), { contextTokens })).toThrow(expect.objectContaining({ code: 'OPTION_INVALID' }));
  });
});
