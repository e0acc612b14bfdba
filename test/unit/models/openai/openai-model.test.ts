import { getEventListeners } from 'node:events';
import { inspect } from 'node:util';
import {
  type ChatModel,
  type ChatReply,
  type ChatRequest,
  type Clock,
  type Json,
  systemClock,
  toErrorInfo,
  WorkflowError,
} from 'agent-machines';
import { assistantMessage } from 'agent-machines/models';
import { type OpenaiModelOptions, openaiModel } from 'agent-machines/models/openai';
import OpenAI from 'openai';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  type Completion,
  completionChunk,
  completionChunks,
  eventStream,
  type OpenaiServer,
  type ServerAnswer,
  startOpenaiServer,
  usageChunk,
  wholeCompletion,
} from '../../../fixtures/openai-server.ts';
import { isDeep } from '../../../fixtures/share.ts';

const apiKey = 'sk-test-0123456789';
const ask: ChatRequest = { task: 'test.ask', messages: [{ role: 'user', content: 'Where is the Eiffel Tower?' }] };

let server: OpenaiServer;
beforeEach(async () => {
  server = await startOpenaiServer();
});
afterEach(() => server.close());

const modelOf = (options: Partial<OpenaiModelOptions> = {}): ChatModel =>
  openaiModel({ model: 'test-model', apiKey, baseURL: server.url, maxRetries: 0, ...options });

/** A clock that ends each wait between attempts at once, and notes its length; limits of a reply keep their time. */
const hurriedClock = (pauses: number[]): Pick<Clock, 'schedule' | 'monotonic'> => ({
  monotonic: () => systemClock.monotonic(),
  schedule(delayMs, callback) {
    if (delayMs > 60_000 || delayMs === 10_000) return systemClock.schedule(delayMs, callback);
    pauses.push(delayMs);
    return systemClock.schedule(0, callback);
  },
});

const ways = [{ stream: true }, { stream: false }];

/** What `generate` came to, with the tokens that it delivered. */
async function outcomeOf(
  model: ChatModel,
  request: Partial<ChatRequest> = {},
): Promise<{ reply?: ChatReply; error?: WorkflowError; tokens: string[] }> {
  const tokens: string[] = [];
  try {
    return { reply: await model.generate({ ...ask, onToken: (text) => tokens.push(text), ...request }), tokens };
  } catch (error) {
    if (!WorkflowError.isInstance(error)) throw error;
    return { error, tokens };
  }
}

const bytesOf = (...chunks: Json[]): void => server.answer({ type: 'bytes', bytes: eventStream(chunks) });

describe('openaiModel: a reply', () => {
  it.each(ways)('has text, usage and provider metadata (stream: $stream)', async ({ stream }) => {
    server.answer({ type: 'completion', text: 'It is in Paris – of course.' });
    const { reply, tokens } = await outcomeOf(modelOf({ stream, name: 'paris' }));
    expect(reply).toEqual({
      text: 'It is in Paris – of course.',
      toolCalls: [],
      usage: { inputTokens: 10, outputTokens: 3, cachedInputTokens: 5 },
      model: 'paris',
      cached: false,
      metadata: { id: 'chatcmpl-1', model: 'test-model-2026-01-01' },
    });
    expect(tokens.join('')).toBe('It is in Paris – of course.');
    expect(tokens).toHaveLength(stream ? 7 : 1);
  });

  it.each(ways)('keeps the order of tool calls (stream: $stream)', async ({ stream }) => {
    const toolCalls = [
      { id: 'call_a', name: 'add', arguments: '{"a":1,"b":2}' },
      { id: 'call_b', name: 'search', arguments: '{"query":"Zürich 🚲"}' },
    ];
    server.answer({ type: 'completion', text: 'Let me see.', toolCalls });
    const { reply } = await outcomeOf(modelOf({ stream }));
    expect(reply).toMatchObject({ text: 'Let me see.', toolCalls });
  });

  it.each(ways)('has the offered tool names, even if the provider cannot use them (stream: $stream)', async ({ stream }) => {
    const tools = ['github.issues', 'github_issues', 'x'.repeat(100)].map((name) => ({
      name,
      description: '',
      inputSchema: { type: 'object' },
    }));
    const call = { id: 'call_1', name: 'github.issues', arguments: '{}' };
    const messages = [
      { role: 'assistant', content: '', toolCalls: [call] },
      { role: 'tool', callId: 'call_1', content: '[]' },
    ] as const;
    server.answer({ type: 'completion', text: '', toolCalls: [{ id: 'call_2', name: 'github_issues', arguments: '{}' }] });
    const { reply: first } = await outcomeOf(modelOf({ stream }), { tools, messages });
    expect(first?.toolCalls).toMatchObject([{ name: 'github_issues' }]);
    const sent = Object(server.requests[0]?.body);
    const names: string[] = sent.tools.map((tool: { function: { name: string } }) => tool.function.name);
    expect(names.every((name) => /^[a-zA-Z0-9_-]{1,64}$/.test(name))).toBe(true);
    expect(sent.messages[0].tool_calls[0].function.name).toBe(names[0]);
    for (const [index, name] of names.entries()) {
      server.answer({ type: 'completion', text: '', toolCalls: [{ id: 'call_3', name, arguments: '{}' }] });
      const { reply } = await outcomeOf(modelOf({ stream }), { tools, messages });
      expect(reply?.toolCalls).toMatchObject([{ name: tools[index]?.name }]);
    }
  });

  it.each(ways)('has zero usage and a note when the server reports none (stream: $stream)', async ({ stream }) => {
    server.answer({ type: 'completion', text: 'Paris', usage: null });
    const { reply } = await outcomeOf(modelOf({ stream }));
    expect(reply).toMatchObject({ usage: { inputTokens: 0, outputTokens: 0 }, metadata: { usage: 'not reported' } });
  });

  it('joins arguments that are split anywhere', async () => {
    const args = '{"query":"Zürich 🚲 \\"x\\""}';
    for (let at = 0; at <= args.length; at++) {
      bytesOf(
        completionChunk({
          tool_calls: [{ index: 0, id: 'call_a', type: 'function', function: { name: 'search', arguments: args.slice(0, at) } }],
        }),
        completionChunk({ tool_calls: [{ index: 0, function: { arguments: args.slice(at) } }] }),
        completionChunk({}, 'tool_calls'),
      );
      const { reply } = await outcomeOf(modelOf());
      expect(reply?.toolCalls).toEqual([{ id: 'call_a', name: 'search', arguments: args }]);
    }
  });

  it('joins interleaved calls, late ids and repeated names', async () => {
    bytesOf(
      completionChunk({ tool_calls: [{ index: 1, function: { name: 'b', arguments: '{' } }] }),
      completionChunk({ tool_calls: [{ index: 0, id: 'call_a', function: { name: 'a', arguments: '' } }] }),
      completionChunk({ tool_calls: [{ index: 1, id: 'call_b', function: { name: 'b', arguments: '}' } }] }),
      completionChunk({ tool_calls: [{ index: 0, id: 'call_a', function: { name: 'a', arguments: '{}' } }] }),
      completionChunk({}, 'tool_calls'),
    );
    const { reply } = await outcomeOf(modelOf());
    expect(reply?.toolCalls).toEqual([
      { id: 'call_a', name: 'a', arguments: '{}' },
      { id: 'call_b', name: 'b', arguments: '{}' },
    ]);
  });

  it('is read despite comments, nulls and other line ends', async () => {
    const chunks = [completionChunk({ role: 'assistant', content: null, tool_calls: null }), ...completionChunks({ text: 'Paris' })];
    server.answer({ type: 'bytes', bytes: `: processing\n\n${eventStream(chunks)}`.replaceAll('\n', '\r\n') });
    expect((await outcomeOf(modelOf())).reply).toMatchObject({ text: 'Paris' });
  });

  it('can end without a blank line', async () => {
    server.answer({ type: 'bytes', bytes: eventStream(completionChunks({ text: 'Paris' })).trimEnd() });
    expect((await outcomeOf(modelOf())).reply).toMatchObject({ text: 'Paris' });
  });

  it('keeps arguments that are not JSON', async () => {
    const toolCalls = [{ id: 'call_a', name: 'add', arguments: '{a: 1}' }];
    server.answer({ type: 'completion', toolCalls });
    expect((await outcomeOf(modelOf())).reply).toMatchObject({ toolCalls });
  });

  it('can report its usage before its end', async () => {
    bytesOf(usageChunk(), ...completionChunks({ text: 'Paris', usage: null }));
    expect((await outcomeOf(modelOf())).reply).toMatchObject({ usage: { inputTokens: 10, outputTokens: 3 } });
  });

  it('clears its timers after each piece', async () => {
    server.answer({ type: 'completion', text: 'Paris' });
    const start = vi.spyOn(globalThis, 'setTimeout');
    const stop = vi.spyOn(globalThis, 'clearTimeout');
    await modelOf({ firstByteTimeoutMs: 54_321, idleTimeoutMs: 12_345 }).generate(ask);
    const started = start.mock.results.filter((_, i) => [54_321, 12_345].includes(start.mock.calls[i]?.[1] ?? 0)).map(({ value }) => value);
    expect(started.length).toBeGreaterThanOrEqual(2);
    expect(stop.mock.calls.map(([timer]) => timer)).toEqual(expect.arrayContaining(started));
    vi.restoreAllMocks();
  });

  it('can call tools with the finish_reason "stop" when the arguments are complete', async () => {
    const toolCalls = [{ id: 'call_a', name: 'add', arguments: '{}' }];
    server.answer({ type: 'completion', toolCalls, finishReason: 'stop' });
    expect((await outcomeOf(modelOf())).reply).toMatchObject({ toolCalls });
  });
});

describe('openaiModel: an unusable reply', () => {
  const call = { id: 'call_a', name: 'add', arguments: '{"a":1}' };
  const cases: { name: string; completion: Completion; code: string; retryable: boolean }[] = [
    { name: 'length', completion: { text: 'It is', finishReason: 'length' }, code: 'MODEL_TRUNCATED', retryable: false },
    { name: 'length in a tool call', completion: { toolCalls: [call], finishReason: 'length' }, code: 'MODEL_TRUNCATED', retryable: false },
    {
      name: 'content_filter',
      completion: { text: 'It', finishReason: 'content_filter' },
      code: 'MODEL_REFUSED',
      retryable: false,
    },
    { name: 'an unknown reason', completion: { text: 'It', finishReason: 'error' }, code: 'MODEL_STREAM_CUT', retryable: true },
    { name: 'neither text nor tool calls', completion: {}, code: 'MODEL_EMPTY', retryable: true },
    { name: 'announced tool calls', completion: { text: 'x', finishReason: 'tool_calls' }, code: 'MODEL_OUTPUT_INVALID', retryable: true },
    {
      name: 'stop amid the arguments',
      completion: { toolCalls: [{ ...call, arguments: '{"a"' }], finishReason: 'stop' },
      code: 'MODEL_OUTPUT_INVALID',
      retryable: true,
    },
    { name: 'a call without a name', completion: { toolCalls: [{ ...call, name: '' }] }, code: 'MODEL_OUTPUT_INVALID', retryable: true },
  ];
  const both = cases.flatMap((one) => ways.map((way) => ({ ...one, ...way })));
  it.each(both)('fails with $code for $name (stream: $stream)', async ({ completion, code, retryable, stream }) => {
    server.answer({ type: 'completion', ...completion });
    const { error } = await outcomeOf(modelOf({ stream }));
    expect(error).toMatchObject({ code, retryable });
  });

  it.each(ways)('fails with MODEL_REFUSED and the text of a refusal (stream: $stream)', async ({ stream }) => {
    server.answer({ type: 'completion', refusal: 'I will not.' });
    const { error } = await outcomeOf(modelOf({ stream }));
    expect(error).toMatchObject({ code: 'MODEL_REFUSED', retryable: false, data: { text: 'I will not.' } });
  });

  const malformed: { name: string; chunk: Json }[] = [
    { name: 'a list', chunk: [] },
    { name: 'a number', chunk: 1 },
    { name: 'no choices', chunk: { id: 'x' } },
    { name: 'a choice that is null', chunk: { choices: [null] } },
    { name: 'a delta that is a string', chunk: { choices: [{ delta: 'x' }] } },
    { name: 'tool calls that are an object', chunk: completionChunk({ tool_calls: {} }) },
  ];
  it.each(malformed)('fails with MODEL_STREAM_CUT for a chunk that is or has $name', async ({ chunk }) => {
    bytesOf(...completionChunks({ text: 'Paris' }), chunk);
    expect((await outcomeOf(modelOf())).error).toMatchObject({ code: 'MODEL_STREAM_CUT', retryable: true });
  });

  it("fails with MODEL_STREAM_CUT and the provider's message, without the key, for an error within the stream", async () => {
    bytesOf(completionChunk({ content: 'It' }), { error: { message: `Overloaded (${apiKey})`, code: 503 } });
    const { error, tokens } = await outcomeOf(modelOf());
    expect(error).toMatchObject({ code: 'MODEL_STREAM_CUT', message: expect.stringContaining('Overloaded ([key])') });
    expect(tokens).toEqual(['It']);
  });

  it.each([
    { name: 'bytes that are not UTF-8', bytes: Uint8Array.of(0x64, 0xff, 0xfe) },
    { name: 'half a character at the end', bytes: Uint8Array.of(0x64, 0xe2, 0x82) },
    { name: 'text that is not JSON', bytes: 'data: {"choices":\n\n' },
    { name: 'a page of HTML', bytes: '<html>Welcome</html>' },
    { name: 'nothing', bytes: '' },
  ])('fails with MODEL_STREAM_CUT for $name', async ({ bytes }) => {
    for (const { stream } of ways) {
      server.answer({ type: 'bytes', bytes });
      expect((await outcomeOf(modelOf({ stream }))).error).toMatchObject({ code: 'MODEL_STREAM_CUT' });
    }
  });

  it('fails with MODEL_STREAM_CUT for a byte that is not UTF-8', async () => {
    const bytes = Buffer.from(eventStream(completionChunks({ text: 'Zürich' })));
    bytes[bytes.indexOf('ü')] = 0xff;
    server.answer({ type: 'bytes', bytes });
    expect((await outcomeOf(modelOf())).error).toMatchObject({ code: 'MODEL_STREAM_CUT' });
  });

  it('closes the connection', async () => {
    server.answer({ type: 'bytes', bytes: 'data: nonsense\n\n', ending: 'stall' });
    expect((await outcomeOf(modelOf())).error).toMatchObject({ code: 'MODEL_STREAM_CUT' });
    expect(await server.requests[0]?.closed).toBe(false);
  });

  it('fails with MODEL_STREAM_CUT for a response without a body', async () => {
    server.answer({ type: 'json', status: 204, body: null });
    expect((await outcomeOf(modelOf())).error).toMatchObject({ code: 'MODEL_STREAM_CUT' });
  });
});

describe('openaiModel: a connection that ends early', () => {
  const streamed = eventStream(completionChunks({ text: 'Zürich 🚲', toolCalls: [{ id: 'call_a', name: 'add', arguments: '{"a":"é"}' }] }));
  const whole = JSON.stringify(wholeCompletion({ text: 'Zürich 🚲', toolCalls: [{ id: 'call_a', name: 'add', arguments: '{"a":"é"}' }] }));

  /** Where bytes are cut: everywhere, or around each line break and character of several bytes, and at each seventh. */
  const placesIn = (bytes: Buffer): readonly number[] =>
    [...bytes.keys()].filter((at) => {
      const around = [bytes[at - 1], bytes[at]];
      return isDeep || at % 7 === 0 || at === bytes.length - 1 || around.some((byte = 0) => byte === 10 || byte === 13 || byte > 127);
    });

  it.each([
    { stream: true, bytes: Buffer.from(streamed) },
    { stream: false, bytes: Buffer.from(whole) },
  ])('fails with MODEL_STREAM_CUT when it breaks at any byte (stream: $stream)', async ({ stream, bytes }) => {
    const model = modelOf({ stream });
    const places = placesIn(bytes);
    for (const at of places) {
      server.answer({ type: 'bytes', bytes: bytes.subarray(0, at), ending: 'cut' });
      const { error } = await outcomeOf(model);
      expect(error, `broken after ${at} bytes`).toMatchObject({ code: 'MODEL_STREAM_CUT', retryable: true });
    }
    expect(server.requests).toHaveLength(places.length);
  });

  /** Behind the chunk with the finish reason nothing is missing but the usage. */
  const finished = streamed.indexOf('\n', streamed.indexOf('"finish_reason":"tool_calls"'));
  it.each([
    { stream: true, bytes: Buffer.from(streamed.slice(0, finished)) },
    { stream: false, bytes: Buffer.from(whole) },
  ])('fails with MODEL_STREAM_CUT when it ends normally before the finish reason (stream: $stream)', async ({ stream, bytes }) => {
    const model = modelOf({ stream });
    for (const at of placesIn(bytes)) {
      server.answer({ type: 'bytes', bytes: bytes.subarray(0, at) });
      const { error } = await outcomeOf(model);
      expect(error, `ended after ${at} bytes`).toMatchObject({ code: 'MODEL_STREAM_CUT', retryable: true });
    }
  });

  it('succeeds at any end after the finish reason, with or without usage and [DONE]', async () => {
    const model = modelOf();
    for (let at = finished; at <= streamed.length; at++) {
      server.answer({ type: 'bytes', bytes: streamed.slice(0, at) });
      const { reply } = await outcomeOf(model);
      expect(reply, `ended after ${at} characters`).toMatchObject({ text: 'Zürich 🚲', toolCalls: [{ arguments: '{"a":"é"}' }] });
    }
  });

  it('succeeds when it stays open after the finish reason', async () => {
    server.answer({ type: 'bytes', bytes: streamed.slice(0, finished + 2), ending: 'stall' });
    const { reply } = await outcomeOf(modelOf({ idleTimeoutMs: 50 }));
    expect(reply).toMatchObject({ text: 'Zürich 🚲', metadata: { usage: 'not reported' } });
    expect(await server.requests[0]?.closed).toBe(false);
  });

  it('fails with MODEL_UNAVAILABLE before the first byte', async () => {
    server.answer({ type: 'hang-up' });
    const { error } = await outcomeOf(modelOf());
    expect(error).toMatchObject({ code: 'MODEL_UNAVAILABLE', retryable: true, data: { attempts: 1 } });
  });

  it('fails with MODEL_STREAM_CUT and closes when the stream stalls', async () => {
    server.answer({ type: 'bytes', bytes: `data: ${JSON.stringify(completionChunk({ content: 'It' }))}\n\n`, ending: 'stall' });
    const { error, tokens } = await outcomeOf(modelOf({ idleTimeoutMs: 20 }));
    expect(error).toMatchObject({ code: 'MODEL_STREAM_CUT', retryable: true, message: expect.stringContaining('20 ms') });
    expect(tokens).toEqual(['It']);
    expect(await server.requests[0]?.closed).toBe(false);
  });

  it.each<ServerAnswer>([{ type: 'silence' }, { type: 'bytes', bytes: '', ending: 'stall' }])(
    'is MODEL_UNAVAILABLE when the first bytes do not come in time: $type',
    async (answer) => {
      server.answer(answer);
      // long enough for a busy machine to let the request arrive
      const { error } = await outcomeOf(modelOf({ firstByteTimeoutMs: 400 }));
      expect(error).toMatchObject({ code: 'MODEL_UNAVAILABLE', retryable: true });
      expect(await server.requests[0]?.closed).toBe(false);
    },
  );
});

describe('openaiModel: a failed request', () => {
  it('is retried after Retry-After', async () => {
    server.answer(
      { type: 'json', status: 429, headers: { 'retry-after': '0' }, body: { error: { message: 'Slow down.' } } },
      { type: 'completion', text: 'Paris' },
    );
    expect((await outcomeOf(modelOf({ maxRetries: 2 }))).reply).toMatchObject({ text: 'Paris' });
    expect(server.requests.map(({ headers }) => headers['x-stainless-retry-count'])).toEqual(['0', '1']);
  });

  it('fails with MODEL_UNAVAILABLE after the last attempt', async () => {
    for (let i = 0; i < 3; i++) {
      server.answer({ type: 'json', status: 500, headers: { 'retry-after-ms': '1' }, body: { error: { message: 'Broken.' } } });
    }
    const { error } = await outcomeOf(modelOf({ maxRetries: 2 }));
    expect(error).toMatchObject({ code: 'MODEL_UNAVAILABLE', retryable: true, data: { status: 500, attempts: 3 } });
    expect(error?.message).toContain('Broken.');
    expect(server.requests).toHaveLength(3);
  });

  it('keeps the delay of Retry-After', async () => {
    const date = 'Sun, 22 Nov 2026 10:00:00 GMT';
    const retryAfter = ['7', 'Sun, 22 Nov 2026 10:00:30 GMT'];
    for (const asked of retryAfter) server.answer({ type: 'json', status: 429, headers: { date, 'retry-after': asked }, body: {} });
    expect((await outcomeOf(modelOf())).error).toMatchObject({ code: 'MODEL_UNAVAILABLE', retryAfterMs: 7_000 });
    expect((await outcomeOf(modelOf())).error?.toJSON()).toMatchObject({ code: 'MODEL_UNAVAILABLE', retryAfterMs: 30_000 });
  });

  it('is not retried when the requested delay exceeds the limit', async () => {
    server.answer({ type: 'json', status: 429, headers: { 'retry-after': '3600' }, body: { error: { message: 'Slow down.' } } });
    const { error } = await outcomeOf(modelOf({ maxRetries: 2 }));
    expect(error).toMatchObject({
      code: 'MODEL_UNAVAILABLE',
      retryAfterMs: 3_600_000,
      data: { limit: 'maxRetryAfterMs', limitMs: 60_000 },
    });
    expect(error?.hint).toContain('--model-retry-after-ms');
    expect(server.requests).toHaveLength(1);
  });

  it('ends with the total limit, however long the requested delay is', async () => {
    server.answer({ type: 'json', status: 429, headers: { 'retry-after': '50' }, body: {} });
    const { error } = await outcomeOf(modelOf({ maxRetries: 2, totalTimeoutMs: 400 }));
    expect(error).toMatchObject({ code: 'MODEL_UNAVAILABLE', data: { limit: 'totalTimeoutMs', limitMs: 400 } });
  });

  it('reports no attempts when the server forbids retries', async () => {
    server.answer({ type: 'json', status: 503, headers: { 'x-should-retry': 'false' }, body: { error: { message: 'Not today.' } } });
    const { error } = await outcomeOf(modelOf({ maxRetries: 2 }));
    expect(error).toMatchObject({ code: 'MODEL_UNAVAILABLE', data: { status: 503 } });
    expect(error?.data).not.toHaveProperty('attempts');
    expect(server.requests).toHaveLength(1);
  });

  it.each([408, 409, 429, 500, 502, 503, 529])('fails with MODEL_UNAVAILABLE for status %i', async (status) => {
    server.answer({ type: 'json', status, body: { error: { message: 'No.' } } });
    expect((await outcomeOf(modelOf())).error).toMatchObject({ code: 'MODEL_UNAVAILABLE', retryable: true, data: { status, attempts: 1 } });
  });

  it.each([400, 401, 403, 404, 413, 422])('fails with MODEL_REQUEST_REFUSED for status %i, without a retry', async (status) => {
    server.answer({ type: 'json', status, body: { error: { message: 'Not like this.' } } });
    const { error } = await outcomeOf(modelOf({ maxRetries: 2 }));
    expect(error).toMatchObject({ code: 'MODEL_REQUEST_REFUSED', retryable: false, data: { status } });
    expect(error?.message).toContain('Not like this.');
    expect(server.requests).toHaveLength(1);
  });

  it('never shows the key', async () => {
    server.answer({ type: 'json', status: 401, body: { error: { message: `Incorrect API key: ${apiKey}.` } } });
    const { error } = await outcomeOf(modelOf());
    expect(error?.message).toContain('Incorrect API key: [key].');
    expect(inspect(error, { depth: 20, showHidden: true }) + JSON.stringify(toErrorInfo(error))).not.toContain(apiKey);
  });

  it('never shows a key that is not a valid header value', async () => {
    const broken = `${apiKey}\n${apiKey}`;
    const { error } = await outcomeOf(modelOf({ apiKey: broken }));
    expect(error).toMatchObject({ code: 'MODEL_REQUEST_REFUSED', retryable: false });
    expect(inspect(error, { depth: 20, showHidden: true })).not.toContain(apiKey);
    expect(server.requests).toHaveLength(0);
  });

  it('shortens a long page of the provider', async () => {
    server.answer({ type: 'json', status: 502, body: 'x'.repeat(10_000) });
    const { error } = await outcomeOf(modelOf());
    expect(error?.message.length).toBeLessThan(600);
  });

  it('fails with MODEL_UNAVAILABLE and the address when no server listens', async () => {
    await server.close();
    const { error } = await outcomeOf(modelOf());
    expect(error).toMatchObject({ code: 'MODEL_UNAVAILABLE', retryable: true, message: expect.stringContaining('ECONNREFUSED') });
  });
});

describe('openaiModel: a busy provider', () => {
  const busy = (headers: Record<string, string> = {}, body: Json = { error: { message: 'Slow down.' } }, status = 429): ServerAnswer => ({
    ...{ type: 'json', status, headers, body },
  });
  const gemini: Json = [
    { error: { code: 429, status: 'RESOURCE_EXHAUSTED', message: 'Quota.', details: [{ '@type': 'x/Help' }, { retryDelay: '51s' }] } },
  ];

  it.each<[string, ServerAnswer, number]>([
    ['Retry-After in seconds', busy({ 'retry-after': '7' }), 7_000],
    ['Retry-After as a date', busy({ date: 'Sun, 22 Nov 2026 10:00:00 GMT', 'retry-after': 'Sun, 22 Nov 2026 10:00:30 GMT' }), 30_000],
    ['529', busy({ 'retry-after': '9' }, { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }, 529), 9_000],
    ["Gemini's retryDelay, in a list", busy({}, gemini), 51_000],
    ['words', busy({}, { error: { message: 'Rate limit reached: Limit 15000, Used 11972. Please try again in 5.289s.' } }), 5_289],
    ['x-ratelimit-reset-requests', busy({ 'x-ratelimit-reset-requests': '1s', 'x-ratelimit-remaining-requests': '0' }), 1_000],
    ['x-ratelimit-reset-tokens', busy({ 'x-ratelimit-reset-tokens': '120ms' }), 120],
  ])('is retried after the requested delay: %s', async (_, answer, waitMs) => {
    const pauses: number[] = [];
    server.answer(answer, { type: 'completion', text: 'Paris' });
    const { reply } = await outcomeOf(modelOf({ maxRetries: 2, clock: hurriedClock(pauses) }));
    expect(reply?.text).toBe('Paris');
    expect(pauses).toEqual([waitMs]);
  });

  it.each([429, 529])('is retried after growing delays up to the total limit for status %i without a requested delay', async (status) => {
    await using always = await startOpenaiServer(async () => busy({}, {}, status));
    const pauses: number[] = [];
    const { error } = await outcomeOf(modelOf({ baseURL: always.url, maxRetries: 2, clock: hurriedClock(pauses) }));
    expect(error).toMatchObject({
      code: 'MODEL_UNAVAILABLE',
      retryable: true,
      data: { status, limit: 'maxRetryAfterMs', limitMs: 60_000 },
    });
    expect(pauses.reduce((sum, pause) => sum + pause, 0)).toBeCloseTo(60_000);
    expect(always.requests.length).toBe(pauses.length + 1);
    for (const [i, pause] of pauses.slice(0, -1).entries()) {
      const longest = Math.min(8_000, 500 * 2 ** i);
      expect(pause).toBeGreaterThanOrEqual(longest / 2);
      expect(pause).toBeLessThanOrEqual(longest);
    }
    expect(new Set(pauses).size).toBeGreaterThan(pauses.length / 2);
  });

  it('is retried up to the total limit when each answer requests a delay', async () => {
    await using always = await startOpenaiServer(async () => busy({ 'retry-after': '25' }));
    const pauses: number[] = [];
    const { error } = await outcomeOf(modelOf({ baseURL: always.url, maxRetries: 2, clock: hurriedClock(pauses) }));
    expect(pauses).toEqual([25_000, 25_000]);
    expect(error).toMatchObject({ code: 'MODEL_UNAVAILABLE', retryAfterMs: 25_000, data: { limit: 'maxRetryAfterMs' } });
    expect(error?.message).toContain('has waited for 50000 ms');
  });

  it('is retried a limited number of times when it requests no delay', async () => {
    await using always = await startOpenaiServer(async () => busy({ 'retry-after': '0' }));
    const pauses: number[] = [];
    await outcomeOf(modelOf({ baseURL: always.url, maxRetries: 2, clock: hurriedClock(pauses) }));
    expect(pauses.slice(0, 2)).toEqual([0, 0]);
    expect(pauses.length).toBeLessThan(30);
  });

  it('is not retried when the account has no credit', async () => {
    const body = { error: { message: 'You exceeded your current quota.', type: 'insufficient_quota', code: 'insufficient_quota' } };
    server.answer(busy({ 'retry-after': '1' }, body));
    const { error } = await outcomeOf(modelOf({ maxRetries: 2 }));
    expect(error).toMatchObject({ code: 'MODEL_UNAVAILABLE', retryable: false, hint: expect.stringContaining('Add credit') });
    expect(server.requests).toHaveLength(1);
  });

  it('is not retried without retries', async () => {
    server.answer(busy({ 'retry-after': '1' }));
    expect((await outcomeOf(modelOf({ maxRetries: 0 }))).error).toMatchObject({ code: 'MODEL_UNAVAILABLE', retryAfterMs: 1_000 });
    expect(server.requests).toHaveLength(1);
  });
});

describe('openaiModel: call ids', () => {
  const asked: ChatRequest['messages'] = [
    { role: 'user', content: 'Add.' },
    { role: 'assistant', content: '', toolCalls: [{ id: 'call_PTLP8xhu3uwZk4l3nlnrrJha', name: 'add', arguments: '{}' }] },
    { role: 'tool', callId: 'call_PTLP8xhu3uwZk4l3nlnrrJha', content: '3' },
  ];

  it('have the form of Mistral when another provider made them, and stay unchanged otherwise', async () => {
    server.answer(
      { type: 'completion', toolCalls: [{ id: 'D681PevKs', name: 'add', arguments: '{}' }] },
      { type: 'completion', text: '3' },
    );
    const model = modelOf({ model: 'mistral-large-latest' });
    const { reply } = await outcomeOf(model, { messages: asked });
    expect(reply?.toolCalls[0]?.id).toBe('D681PevKs');
    const own = assistantMessage(reply ?? { text: '', toolCalls: [] });
    await outcomeOf(model, { messages: [...asked, own, { role: 'tool', callId: 'D681PevKs', content: '3' }] });
    const [first, second] = server.requests.map(({ body }) => body.messages as { tool_calls?: { id: string }[]; tool_call_id?: string }[]);
    const id = first?.[1]?.tool_calls?.[0]?.id;
    expect(id).toMatch(/^[a-zA-Z0-9]{9}$/);
    expect([first?.[2]?.tool_call_id, second?.[1]?.tool_calls?.[0]?.id, second?.[2]?.tool_call_id]).toEqual([id, id, id]);
    expect([second?.[3]?.tool_calls?.[0]?.id, second?.[4]?.tool_call_id]).toEqual(['D681PevKs', 'D681PevKs']);
  });
});

describe('openaiModel: a content filter', () => {
  const error: Json = {
    message: "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.",
    type: null,
    param: 'prompt',
    code: 'content_filter',
    status: 400,
    innererror: { code: 'ResponsibleAIPolicyViolation', content_filter_result: { violence: { filtered: true, severity: 'medium' } } },
  };
  it.each<[string, ServerAnswer]>([
    ["Azure's, of the request", { type: 'json', status: 400, body: { error } }],
    ["Azure's, in a stream", { type: 'bytes', bytes: `data: ${JSON.stringify({ error })}\n\n` }],
    ["Azure's, of the reply", { type: 'completion', text: 'It', finishReason: 'content_filter' }],
    ["Gemini's, without a message", { type: 'completion', finishReason: 'content_filter' }],
    ["Gemini's, by its own name", { type: 'completion', finishReason: 'SAFETY' }],
    [
      "OpenRouter's moderation",
      { type: 'json', status: 403, body: { error: { code: 403, message: 'No.', metadata: { flagged_input: 'x' } } } },
    ],
  ])('fails with MODEL_REFUSED and no retry: %s', async (_, answer) => {
    server.answer(answer);
    const { error } = await outcomeOf(modelOf({ maxRetries: 2 }));
    expect(error).toMatchObject({ code: 'MODEL_REFUSED', retryable: false, data: { reason: 'content_filter' } });
    expect(server.requests).toHaveLength(1);
  });
});

describe('openaiModel: error messages', () => {
  it.each<[string, Json]>([
    ['in a list', [{ error: { message: 'Not like this.' } }]],
    ['without a wrapper', { object: 'error', message: 'Not like this.', code: 400 }],
    ['as a detail', { detail: 'Not like this.' }],
    ['as a text', { error: 'Not like this.' }],
  ])('are kept: %s', async (_, body) => {
    server.answer({ type: 'json', status: 400, body });
    expect((await outcomeOf(modelOf())).error?.message).toContain('Not like this.');
  });
});

describe('openaiModel: an abort', () => {
  const reason = new Error('The user has left.');

  it('before the request sends nothing', async () => {
    await expect(modelOf().generate({ ...ask, signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(server.requests).toHaveLength(0);
  });

  it.each(ways)('during the reply rejects with its reason and closes the connection (stream: $stream)', async ({ stream }) => {
    const begun = eventStream(completionChunks({ text: 'It is in Paris' }).slice(0, 3)).replace('data: [DONE]\n\n', '');
    server.answer({ type: 'bytes', bytes: begun, ending: 'stall' });
    const controller = new AbortController();
    const onToken = (): void => controller.abort(reason);
    const reply = modelOf({ stream }).generate({ ...ask, signal: controller.signal, onToken });
    if (!stream) void vi.waitUntil(() => server.requests.length > 0).then(() => controller.abort(reason));
    await expect(reply).rejects.toBe(reason);
    expect(await server.requests[0]?.closed).toBe(false);
  });

  it('between two attempts rejects with its reason', async () => {
    server.answer({ type: 'json', status: 429, headers: { 'retry-after': '50' }, body: {} });
    const controller = new AbortController();
    const reply = modelOf({ maxRetries: 1 }).generate({ ...ask, signal: controller.signal });
    void vi.waitUntil(() => server.requests.length > 0).then(() => controller.abort(reason));
    await expect(reply).rejects.toBe(reason);
  });

  it.each(ways)('after the last bytes still counts and stops the tokens (stream: $stream)', async ({ stream }) => {
    server.answer({ type: 'completion', text: 'It is in Paris' });
    const controller = new AbortController();
    const onToken = vi.fn<(text: string) => void>(() => controller.abort(reason));
    await expect(modelOf({ stream }).generate({ ...ask, signal: controller.signal, onToken })).rejects.toBe(reason);
    expect(onToken).toHaveBeenCalledTimes(1);
  });

  it('removes its listener', async () => {
    server.answer({ type: 'completion', text: 'Paris' });
    const { signal } = new AbortController();
    await modelOf().generate({ ...ask, signal });
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('is not confused with an error of onToken', async () => {
    server.answer({ type: 'completion', text: 'Paris' });
    await expect(
      modelOf().generate({
        ...ask,
        onToken: () => {
          throw reason;
        },
      }),
    ).rejects.toBe(reason);
  });
});

describe('openaiModel: the request', () => {
  /** The body that the server receives. */
  async function bodyOf(request: Partial<ChatRequest>, options: Partial<OpenaiModelOptions> = {}): Promise<Json | undefined> {
    server.answer({ type: 'completion', text: '{}' });
    await modelOf(options).generate({ ...ask, ...request });
    return server.requests[0]?.body;
  }
  const messages = [{ role: 'user', content: 'Where is the Eiffel Tower?' }];

  it('has only the given fields, and none that must stay local', async () => {
    expect(
      await bodyOf({
        ...({ ruleInput: { secret: 1 } } as object),
        deterministic: true,
        tools: [],
        toolChoice: 'none',
        output: { type: 'text' },
      }),
    ).toEqual({
      model: 'test-model',
      messages,
      stream: true,
      stream_options: { include_usage: true },
    });
    expect(server.requests[0]).toMatchObject({ path: '/v1/chat/completions', headers: { authorization: `Bearer ${apiKey}` } });
  });

  it('does not stream with stream: false', async () => {
    expect(await bodyOf({}, { stream: false })).toEqual({ model: 'test-model', messages, stream: false });
  });

  it('has the given options', async () => {
    const inputSchema = { type: 'object', properties: { a: { type: 'number' } } };
    const tools = [{ name: 'add', description: 'Adds.', inputSchema }];
    expect(await bodyOf({ tools, toolChoice: 'required', temperature: 0, maxOutputTokens: 9 })).toMatchObject({
      tools: [{ type: 'function', function: { name: 'add', description: 'Adds.', parameters: inputSchema } }],
      tool_choice: 'required',
      temperature: 0,
      max_tokens: 9,
    });
  });

  it('has the conversation', async () => {
    const body = await bodyOf({
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: '1 + 2?' },
        { role: 'assistant', content: '', toolCalls: [{ id: 'call_a', name: 'add', arguments: '{"a":1,"b":2}' }] },
        { role: 'tool', callId: 'call_a', content: '3' },
        { role: 'assistant', content: '3', toolCalls: [] },
      ],
    });
    expect(body).toHaveProperty('messages', [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: '1 + 2?' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'call_a', type: 'function', function: { name: 'add', arguments: '{"a":1,"b":2}' } }],
      },
      { role: 'tool', tool_call_id: 'call_a', content: '3' },
      { role: 'assistant', content: '3' },
    ]);
  });

  const strict = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'], additionalProperties: false };
  const loose = { type: 'object', properties: { city: { type: 'string' } } };

  it('requests JSON', async () => {
    expect(await bodyOf({ output: { type: 'json' } })).toMatchObject({ response_format: { type: 'json_object' } });
  });

  it.each([
    { schema: strict, isStrict: true },
    { schema: loose, isStrict: false },
  ])('requests a JSON Schema, strict: $isStrict', async ({ schema, isStrict }) => {
    expect(await bodyOf({ output: { type: 'json-schema', name: 'plan_execute.plan', schema } })).toMatchObject({
      response_format: { type: 'json_schema', json_schema: { name: 'plan_execute_plan', strict: isStrict, schema } },
    });
  });

  it('requests JSON with the schema in the system message if the server has no JSON Schema', async () => {
    const output = { type: 'json-schema', name: 'plan', schema: strict } as const;
    const system = { role: 'system', content: 'Be brief.' } as const;
    expect(await bodyOf({ output, messages: [system, ...ask.messages] }, { jsonSchema: false })).toMatchObject({
      response_format: { type: 'json_object' },
      messages: [{ role: 'system', content: expect.stringMatching(/^Be brief\.\n\n.*"city"/s) }, ...messages],
    });
  });

  it('adds a system message for the schema if there is none', async () => {
    const output = { type: 'json-schema', name: 'plan', schema: strict } as const;
    expect(await bodyOf({ output }, { jsonSchema: false })).toMatchObject({
      messages: [{ role: 'system', content: expect.stringContaining(JSON.stringify(strict)) }, ...messages],
    });
  });

  it.each<Partial<ChatRequest>>([
    { output: { type: 'json-schema', name: 'any', schema: true } },
    { tools: [{ name: 'any', description: '', inputSchema: true }] },
  ])('is rejected with a schema that is not an object', async (request) => {
    const { error } = await outcomeOf(modelOf(), request);
    expect(error).toMatchObject({ code: 'MODEL_REQUEST_REFUSED', retryable: false });
    expect(server.requests).toHaveLength(0);
  });
});

describe('openaiModel: options', () => {
  afterEach(() => vi.unstubAllEnvs());

  it('accept a client', async () => {
    server.answer({ type: 'completion', text: 'Paris' });
    const client = new OpenAI({ apiKey, baseURL: server.url });
    const model = openaiModel({ model: 'test-model', client });
    expect(model.name).toBe('test-model');
    expect((await outcomeOf(model)).reply).toMatchObject({ text: 'Paris', model: 'test-model' });
  });

  it.each<[string, Partial<OpenaiModelOptions>]>([
    ['a client and a key', { client: new OpenAI({ apiKey }), baseURL: undefined }],
    ['a client and an address', { client: new OpenAI({ apiKey }), apiKey: undefined }],
    ['an invalid address', { baseURL: 'localhost' }],
    ['an empty key', { apiKey: '' }],
    ['a time-out of zero', { firstByteTimeoutMs: 0 }],
    ['a time-out without end', { idleTimeoutMs: Number.POSITIVE_INFINITY }],
    ['half a retry', { maxRetries: 0.5 }],
  ])('are rejected: %s', (_, options) => {
    vi.stubEnv('OPENAI_API_KEY', '');
    expect(() => modelOf(options)).toThrow(expect.objectContaining({ code: 'OPTION_INVALID' }));
  });
});
