import type { ChatRequest, Json, JsonObject } from 'agent-machines';
import { boundMessageTokens } from 'agent-machines/memory';
import {
  aiSdkModel,
  cachedModel,
  contextTokensOf,
  fallbackModel,
  fittedModel,
  modelsByTask,
  offlineModel,
  scriptedModel,
  withRuleInput,
} from 'agent-machines/models';
import { openaiModel } from 'agent-machines/models/openai';
import { describe, expect, it } from 'vitest';
import { startOpenaiServer } from '../../fixtures/openai-server.ts';

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
  ])('knows %s', (name, tokens) => {
    expect(contextTokensOf(name)).toBe(tokens);
  });
});

/** Tokens as the scripted servers count them. */
const countOf = ({ messages }: JsonObject): number => Math.ceil(JSON.stringify(messages).length / 4);

const limit = 3_000;

/** How servers refuse what is longer than 3,000 tokens: status and body. */
const refusals: readonly [name: string, status: number, bodyOf: (tokens: number) => Json][] = [
  [
    'OpenAI',
    400,
    (tokens) => ({
      error: {
        message: `This model's maximum context length is ${limit} tokens. However, your messages resulted in ${tokens} tokens.`,
        code: 'context_length_exceeded',
      },
    }),
  ],
  [
    'llama.cpp',
    400,
    (tokens) => ({
      error: { code: 400, message: 'the request exceeds', type: 'exceed_context_size_error', n_prompt_tokens: tokens, n_ctx: limit },
    }),
  ],
  [
    'vLLM',
    400,
    (tokens) => ({
      object: 'error',
      message: `This model's maximum context length is ${limit} tokens. However, you requested ${tokens} tokens in the messages.`,
      code: 400,
    }),
  ],
  ['Anthropic', 400, (tokens) => ({ type: 'error', error: { message: `prompt is too long: ${tokens} tokens > ${limit} maximum` } })],
  [
    'Gemini',
    400,
    (tokens) => [
      { error: { code: 400, message: `The input token count (${tokens}) exceeds the maximum number of tokens allowed (${limit}).` } },
    ],
  ],
  [
    'Groq',
    413,
    (tokens) => ({
      error: {
        message: `Request too large for model \`m\` on tokens per minute (TPM): Limit ${limit}, Requested ${tokens}, please reduce`,
        code: 'rate_limit_exceeded',
      },
    }),
  ],
  [
    'Mistral',
    400,
    (tokens) => ({
      object: 'error',
      message: `Prompt contains ${tokens} tokens and 0 draft tokens, too large for model with ${limit} maximum context length`,
      code: 3051,
    }),
  ],
];

/** A server that refuses what is longer than the limit, as it counts. */
const narrowServer = (status: number, bodyOf: (tokens: number) => Json, count: (body: JsonObject) => number = countOf) =>
  startOpenaiServer(async (body) =>
    count(body) > limit ? { type: 'json', status, body: bodyOf(count(body)) } : { type: 'completion', text: 'ok' },
  );

const conversation: ChatRequest = {
  task: 't.t',
  messages: [
    { role: 'system', content: 'Be short.' },
    ...Array.from({ length: 40 }, (_, i) => ({
      role: i % 2 === 0 ? ('user' as const) : ('assistant' as const),
      content: `Turn ${i}. ${'word '.repeat(200)}`,
    })),
    { role: 'user', content: 'What was said last?' },
  ],
};

describe('fittedModel: a request above the context of the model', () => {
  it.each(refusals)('is cut to the limit in the refusal and sent once more, and the limit is kept: %s', async (_, status, bodyOf) => {
    await using server = await narrowServer(status, bodyOf);
    const inner = openaiModel({ model: 'gpt-4o', apiKey: 'sk-test-0123456789', baseURL: server.url, maxRetries: 0 });
    const model = fittedModel(inner);
    expect((await model.generate(conversation)).text).toBe('ok');
    expect(server.requests).toHaveLength(2);
    const again = server.requests[1]?.body.messages;
    expect(again).toContainEqual({ role: 'system', content: expect.stringContaining('Be short.') });
    expect(again).toContainEqual({ role: 'user', content: 'What was said last?' });
    await model.generate(conversation);
    await fittedModel(inner).generate(conversation);
    expect(server.requests).toHaveLength(4);
  });

  it('is halved until it fits when the refusal names no limit', async () => {
    const body = { error: { message: 'Please reduce the length of the messages.', code: 'context_length_exceeded' } };
    await using server = await narrowServer(400, () => body);
    const model = fittedModel(openaiModel({ model: 'gpt-4o', apiKey: 'sk-test-0123456789', baseURL: server.url, maxRetries: 0 }));
    expect((await model.generate(conversation)).text).toBe('ok');
    expect(server.requests).toHaveLength(3);
    await model.generate(conversation);
    expect(server.requests).toHaveLength(4);
  });

  it('updates the context for nodes that plan by it', async () => {
    const [, status, bodyOf] = refusals[0] ?? ['', 400, () => ({})];
    await using server = await narrowServer(status, bodyOf);
    const inner = openaiModel({ model: 'gpt-4o', apiKey: 'sk-test-0123456789', baseURL: server.url, maxRetries: 0 });
    const { modelFor, contextTokensFor } = modelsByTask<{ 't.t': undefined }>(
      { model: inner },
      { otherwise: offlineModel({}), wrap: (given) => fittedModel(given) },
    );
    expect(contextTokensFor('t.t')).toBe(128_000);
    await modelFor('t.t', undefined).generate(conversation);
    expect(contextTokensFor('t.t')).toBeLessThanOrEqual(limit);
    expect(contextTokensFor('t.t')).toBeGreaterThan(limit * 0.9);
  });

  it('is cut further when the provider counts more tokens', async () => {
    const [, status, bodyOf] = refusals[0] ?? ['', 400, () => ({})];
    await using server = await narrowServer(status, bodyOf, (body) => countOf(body) * 6);
    const model = fittedModel(openaiModel({ model: 'gpt-4o', apiKey: 'sk-test-0123456789', baseURL: server.url, maxRetries: 0 }));
    expect((await model.generate(conversation)).text).toBe('ok');
    expect(server.requests).toHaveLength(2);
  });

  it('leaves space for the reply that the provider reserves, and limits the reply', async () => {
    await using server = await startOpenaiServer(async (body) => {
      const [tokens, bound] = [countOf(body), Number(body.max_tokens ?? 64_000)];
      const message = `input length and \`max_tokens\` exceed context limit: ${tokens} + ${bound} > ${limit}, decrease input length`;
      return tokens + bound > limit ? { type: 'json', status: 400, body: { error: { message } } } : { type: 'completion', text: 'ok' };
    });
    const model = fittedModel(openaiModel({ model: 'claude-x', apiKey: 'sk-test-0123456789', baseURL: server.url, maxRetries: 0 }));
    expect((await model.generate(conversation)).text).toBe('ok');
    expect(Number(server.requests[1]?.body.max_tokens)).toBeLessThanOrEqual(limit * 0.75);
  });

  it('fails with the numbers when the cut request is refused too, and keeps no limit', async () => {
    const message = "This model's maximum context length is 100000 tokens. However, your messages resulted in 100001 tokens.";
    await using server = await startOpenaiServer(async () => ({ type: 'json', status: 400, body: { error: { message } } }));
    const model = fittedModel(openaiModel({ model: 'gpt-4o', apiKey: 'sk-test-0123456789', baseURL: server.url, maxRetries: 0 }));
    await expect(model.generate(conversation)).rejects.toMatchObject({
      code: 'MODEL_CONTEXT_FULL',
      retryable: false,
      message: expect.stringContaining('100001 tokens'),
      data: { status: 400, limitTokens: 100_000, inputTokens: 100_001 },
    });
    expect(server.requests).toHaveLength(2);
  });

  it('fails with the message of the provider when cutting cannot make it fit', async () => {
    const message = "This model's maximum context length is 200 tokens. However, your messages resulted in 9000 tokens.";
    await using server = await startOpenaiServer(async () => ({ type: 'json', status: 400, body: { error: { message } } }));
    const model = fittedModel(openaiModel({ model: 'gpt-4o', apiKey: 'sk-test-0123456789', baseURL: server.url, maxRetries: 0 }));
    const tools = [{ name: 'f', description: 'x '.repeat(400), inputSchema: { type: 'object' } }] as const;
    await expect(model.generate({ ...conversation, tools })).rejects.toMatchObject({
      code: 'MODEL_CONTEXT_FULL',
      message: expect.stringContaining('200 tokens'),
    });
    expect(server.requests).toHaveLength(1);
  });

  it('is recognized in a stream and with the AI SDK', async () => {
    const message = `the request exceeds the available context size`;
    const error = { code: 400, message, type: 'exceed_context_size_error', n_prompt_tokens: 14_429, n_ctx: limit };
    await using server = await startOpenaiServer(async (body) =>
      countOf(body) > limit ? { type: 'bytes', bytes: `data: ${JSON.stringify({ error })}\n\n` } : { type: 'completion', text: 'ok' },
    );
    const model = fittedModel(openaiModel({ model: 'gpt-4o', apiKey: 'sk-test-0123456789', baseURL: server.url, maxRetries: 0 }));
    expect((await model.generate(conversation)).text).toBe('ok');
    const responseBody = '{"type":"error","error":{"message":"prompt is too long: 208310 tokens > 200000 maximum"}}';
    const refused = Object.assign(new Error('Bad Request'), { name: 'AI_APICallError', statusCode: 400, isRetryable: false, responseBody });
    const fake = { specificationVersion: 'v4', provider: 'anthropic', modelId: 'claude-x' };
    const failing = aiSdkModel({ ...fake, doGenerate: () => Promise.reject(refused), doStream: () => Promise.reject(refused) });
    await expect(failing.generate(conversation)).rejects.toMatchObject({ code: 'MODEL_CONTEXT_FULL', data: { limitTokens: 200_000 } });
  });
});

describe('fittedModel', () => {
  it('sends no more than the context of the model', async () => {
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
    ['a quarter of a small context by default', {}, {}, 6_000],
    ['a quarter of the context if the model leaves no room', { maxOutputTokens: 64_000 }, {}, 2_000],
  ])('reserves tokens for a reply that is bounded by %s', async (_, bound, more, room) => {
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
  ])('passes the bound through %s', (_, model) => {
    expect(model.maxOutputTokens).toBe(7);
  });

  it.each([0, 999, 1.5, Number.NaN])('rejects %s as a context', (contextTokens) => {
    expect(() => fittedModel(scriptedModel([]), { contextTokens })).toThrow(expect.objectContaining({ code: 'OPTION_INVALID' }));
  });
});
