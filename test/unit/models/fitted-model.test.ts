import type { ChatRequest } from 'agent-machines';
import { contextTokensOf, fittedModel, scriptedModel } from 'agent-machines/models';
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

  it.each([0, 999, 1.5, Number.NaN])('refuses %s as a context', (contextTokens) => {
    expect(() => fittedModel(scriptedModel([]), { contextTokens })).toThrow(expect.objectContaining({ code: 'OPTION_INVALID' }));
  });
});
