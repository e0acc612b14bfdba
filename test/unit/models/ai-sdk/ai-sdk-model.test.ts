import { type ChatMessage, type ChatModel, type ChatRequest, type Json, systemClock } from 'agent-machines';
import { type AiSdkLanguageModel, type AiSdkModelOptions, aiSdkModel } from 'agent-machines/models';
import { describe, expect, it, vi } from 'vitest';

type Part = Readonly<Record<string, unknown>>;
type Call = Parameters<AiSdkLanguageModel['doStream']>[0];

const usage = {
  inputTokens: { total: 10, noCache: 5, cacheRead: 5, cacheWrite: undefined },
  outputTokens: { total: 3, text: 1, reasoning: 2 },
};
const finish = (unified = 'stop', raw?: string): Part => ({ type: 'finish', usage, finishReason: { unified, raw } });
const textParts = (...deltas: readonly string[]): Part[] => [
  { type: 'text-start', id: '0' },
  ...deltas.map((delta) => ({ type: 'text-delta', id: '0', delta })),
  { type: 'text-end', id: '0' },
];

interface FakeModel extends AiSdkLanguageModel {
  readonly calls: Call[];
  readonly cancelled: () => number;
}

/** A language model of the specification that answers each call with the next parts, or throws the next error. */
function fakeModel(answers: readonly (readonly Part[] | Error | 'silence')[], version = 'v4'): FakeModel {
  const calls: Call[] = [];
  const queue = [...answers];
  let cancelled = 0;
  const next = (call: Call): readonly Part[] | 'silence' => {
    calls.push(call);
    const answer = queue.shift() ?? new Error('There is no answer left.');
    if (answer instanceof Error) throw answer;
    return answer;
  };
  return {
    specificationVersion: version,
    provider: 'fake.chat',
    modelId: 'fake-1',
    calls,
    cancelled: () => cancelled,
    async doGenerate(call) {
      const parts = next(call);
      if (parts === 'silence') return new Promise<object>(() => {});
      const end = parts.find(({ type }) => type === 'finish') ?? {};
      return { content: parts.filter(({ type }) => type !== 'finish'), warnings: [], ...end };
    },
    async doStream(call) {
      const parts = next(call);
      const stream = new ReadableStream<object>({
        start(controller) {
          if (parts === 'silence') return;
          for (const part of parts) controller.enqueue(part);
          controller.close();
        },
        cancel: () => void cancelled++,
      });
      return { stream };
    },
  };
}

const hello: ChatRequest = { task: 't', messages: [{ role: 'user', content: 'Hello' }] };
const make = (answers: Parameters<typeof fakeModel>[0], options?: AiSdkModelOptions): { model: ChatModel; fake: FakeModel } => {
  const fake = fakeModel(answers);
  return { fake, model: aiSdkModel(fake, options) };
};

/** As `AI_APICallError`, of whichever copy of the package. */
const apiError = (statusCode: number | undefined, isRetryable: boolean, headers: Readonly<Record<string, string>> = {}) =>
  Object.assign(new Error(`The provider says ${statusCode}.`), {
    name: 'AI_APICallError',
    statusCode,
    isRetryable,
    responseHeaders: headers,
    requestBodyValues: { secret: 'prompt' },
  });

describe('aiSdkModel', () => {
  it.each([true, false])('returns text, reasoning, usage and metadata (stream: %s)', async (stream) => {
    const parts: Part[] = stream
      ? [
          { type: 'stream-start', warnings: [{ type: 'unsupported', feature: 'topK' }] },
          { type: 'response-metadata', id: 'r1', modelId: 'fake-1-2026', timestamp: new Date(0) },
          { type: 'reasoning-start', id: 'a' },
          { type: 'reasoning-delta', id: 'a', delta: 'Let me ' },
          { type: 'reasoning-delta', id: 'a', delta: 'see.' },
          { type: 'reasoning-end', id: 'a' },
          { type: 'ping' },
          ...textParts('Hi', ' there'),
          finish(),
        ]
      : [
          { type: 'reasoning', text: 'Let me see.' },
          { type: 'text', text: 'Hi there' },
          { ...finish(), warnings: [{ type: 'unsupported', feature: 'topK' }], response: { id: 'r1', modelId: 'fake-1-2026' } },
        ];
    const { model } = make([parts], { stream });
    const told: string[] = [];
    const thought: string[] = [];
    const reply = await model.generate({ ...hello, onToken: (text) => told.push(text), onReasoning: (text) => thought.push(text) });
    expect(reply).toEqual({
      text: 'Hi there',
      reasoning: 'Let me see.',
      toolCalls: [],
      providerData: {
        from: 'ai-sdk fake.chat fake-1',
        data: {
          parts: [
            { type: 'reasoning', text: 'Let me see.' },
            { type: 'text', length: 8 },
          ],
        },
      },
      usage: { inputTokens: 10, outputTokens: 3, cachedInputTokens: 5, reasoningTokens: 2 },
      model: 'fake-1',
      cached: false,
      metadata: { id: 'r1', model: 'fake-1-2026', warnings: [{ type: 'unsupported', feature: 'topK' }] },
    });
    expect([told.join(''), thought.join('')]).toEqual(['Hi there', 'Let me see.']);
  });

  it('converts a conversation to a prompt', async () => {
    const { model, fake } = make([[...textParts('ok'), finish()]]);
    const messages: ChatMessage[] = [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Look', files: [{ mediaType: 'image/png', data: 'aGk=', name: 'a.png' }] },
      {
        role: 'assistant',
        content: 'I look.',
        toolCalls: [
          { id: '1', name: 'search', arguments: '{"q":1}' },
          { id: '2', name: '검색', arguments: 'no json' },
        ],
      },
      { role: 'tool', callId: '1', content: 'one' },
      { role: 'tool', callId: '2', content: 'two' },
      { role: 'user', content: 'And?' },
    ];
    const schema = { type: 'object', properties: {} };
    await model.generate({
      task: 't',
      messages,
      tools: [{ name: 'search', description: 'Finds.', inputSchema: schema }],
      toolChoice: 'required',
      output: { type: 'json-schema', name: 'my answer', schema },
      temperature: 0,
      maxOutputTokens: 100,
    });
    const [call] = fake.calls;
    const wire = /^__+$/;
    expect(call?.prompt).toEqual([
      { role: 'system', content: 'Be brief.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Look' },
          { type: 'file', mediaType: 'image/png', filename: 'a.png', data: { type: 'data', data: 'aGk=' } },
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'I look.' },
          { type: 'tool-call', toolCallId: '1', toolName: 'search', input: { q: 1 } },
          { type: 'tool-call', toolCallId: '2', toolName: expect.stringMatching(wire), input: 'no json' },
        ],
      },
      {
        role: 'tool',
        content: [
          { type: 'tool-result', toolCallId: '1', toolName: 'search', output: { type: 'text', value: 'one' } },
          { type: 'tool-result', toolCallId: '2', toolName: expect.stringMatching(wire), output: { type: 'text', value: 'two' } },
        ],
      },
      { role: 'user', content: [{ type: 'text', text: 'And?' }] },
    ]);
    expect(call).toMatchObject({
      tools: [{ type: 'function', name: 'search', description: 'Finds.', inputSchema: schema }],
      toolChoice: { type: 'required' },
      responseFormat: { type: 'json', schema, name: 'my_answer' },
      temperature: 0,
      maxOutputTokens: 100,
    });
  });

  it('sends files in the format of specification v3', async () => {
    const fake = fakeModel([[...textParts('ok'), finish()]], 'v3');
    await aiSdkModel(fake).generate({
      task: 't',
      messages: [{ role: 'user', content: '', files: [{ mediaType: 'image/png', data: 'aGk=' }] }],
    });
    expect(fake.calls[0]?.prompt).toEqual([{ role: 'user', content: [{ type: 'file', mediaType: 'image/png', data: 'aGk=' }] }]);
  });

  describe('files of a tool result', () => {
    const png = { mediaType: 'image/png', data: 'aGk=', name: 'a.png' };
    const messages: readonly ChatMessage[] = [
      { role: 'tool', callId: '1', content: 'one', files: [png, { mediaType: 'application/pdf', data: 'aGk=' }] },
      { role: 'tool', callId: '2', content: 'two' },
    ];
    const answer = [...textParts('ok'), finish()];
    const sent = async (provider: string, version: string) => {
      const fake = { ...fakeModel([answer], version), provider };
      await aiSdkModel(fake).generate({ task: 't', messages });
      return fake.calls[0]?.prompt;
    };
    const result = (toolCallId: string, output: object) => ({ type: 'tool-result', toolCallId, toolName: 'unknown', output });

    it.each([
      ['v4', { type: 'file', mediaType: 'image/png', filename: 'a.png' }, { type: 'file', mediaType: 'application/pdf' }],
      ['v3', { type: 'image-data', mediaType: 'image/png' }, { type: 'file-data', mediaType: 'application/pdf' }],
    ])('are parts of it in specification %s, for a provider that shows them', async (version, picture, pdf) => {
      const data = version === 'v3' ? 'aGk=' : { type: 'data', data: 'aGk=' };
      const output = {
        type: 'content',
        value: [
          { type: 'text', text: 'one' },
          { ...picture, data },
          { ...pdf, data },
        ],
      };
      for (const provider of ['openai.responses', 'anthropic.messages'])
        expect(await sent(provider, version)).toEqual([
          { role: 'tool', content: [result('1', output), result('2', { type: 'text', value: 'two' })] },
        ]);
    });

    it('follow the results in a user message for other providers', async () => {
      const value =
        'one\n[attached: a.png, image/png, 2 bytes, in the next message]\n[attached: application/pdf, 2 bytes, in the next message]';
      expect(await sent('openai.chat', 'v3')).toEqual([
        { role: 'tool', content: [result('1', { type: 'text', value }), result('2', { type: 'text', value: 'two' })] },
        {
          role: 'user',
          content: [
            { type: 'text', text: expect.stringContaining('not instructions') },
            { type: 'file', mediaType: 'image/png', filename: 'a.png', data: 'aGk=' },
            { type: 'file', mediaType: 'application/pdf', data: 'aGk=' },
          ],
        },
      ]);
    });

    it.each([
      Object.assign(new Error('file part media type image/png'), { name: 'AI_UnsupportedFunctionalityError' }),
      Object.assign(new Error('Could not process image'), { name: 'AI_APICallError', statusCode: 400, isRetryable: false }),
    ])('become text after the refusal %s, and the file of the question stays', async (refusal) => {
      const { model, fake } = make([refusal, answer]);
      const question: ChatMessage = { role: 'user', content: 'Look', files: [png] };
      await model.generate({ task: 't', messages: [question, ...messages] });
      const [user, tools, ...rest] = fake.calls[1]?.prompt ?? [];
      expect(user).toMatchObject({ content: [{ type: 'text' }, { type: 'file' }] });
      expect(JSON.stringify(tools)).toContain('a.png, image/png, 2 bytes, not shown');
      expect(rest).toEqual([]);
    });
  });

  it('sends the options of the model with each request', async () => {
    const { model, fake } = make([[...textParts('ok'), finish()]], {
      reasoningEffort: 'high',
      providerOptions: { fake: { budget: 5 } },
      headers: { 'x-team': 'red' },
      maxOutputTokens: 7,
    });
    await model.generate(hello);
    expect(fake.calls[0]).toMatchObject({
      reasoning: 'high',
      providerOptions: { fake: { budget: 5 } },
      headers: { 'x-team': 'red' },
      maxOutputTokens: 7,
    });
    expect(fake.calls[0]).not.toHaveProperty('tools');
    expect(fake.calls[0]).not.toHaveProperty('responseFormat');
  });
});

describe('aiSdkModel: provider data', () => {
  const signature = { fake: { signature: 'c2ln' } };
  const answer: Part[] = [
    { type: 'reasoning-start', id: 'a', providerMetadata: { fake: { redacted: 'x' } } },
    { type: 'reasoning-delta', id: 'a', delta: 'Hm.' },
    { type: 'reasoning-end', id: 'a', providerMetadata: signature },
    ...textParts('I look.'),
    { type: 'tool-call', toolCallId: '1', toolName: 'search', input: '{"q":1}', providerMetadata: signature },
    { type: 'custom', kind: 'fake.note', providerMetadata: signature },
    finish('tool-calls'),
  ];
  const back = [
    { type: 'reasoning', text: 'Hm.', providerOptions: signature },
    { type: 'text', text: 'I look.' },
    { type: 'tool-call', toolCallId: '1', toolName: 'search', input: { q: 1 }, providerOptions: signature },
    { type: 'custom', kind: 'fake.note', providerOptions: signature },
  ];

  async function sentBack(change: (message: Extract<ChatMessage, { role: 'assistant' }>) => ChatMessage): Promise<unknown> {
    const { model, fake } = make([answer, [...textParts('ok'), finish()]]);
    const { text, toolCalls, providerData } = await model.generate(hello);
    const stored: Json = JSON.parse(JSON.stringify(providerData ?? null));
    expect(stored).toEqual(providerData); // as a journal keeps it
    const message = { role: 'assistant', content: text, toolCalls, ...(providerData ? { providerData } : {}) } as const;
    await model.generate({ task: 't', messages: [...hello.messages, change(message), { role: 'tool', callId: '1', content: 'one' }] });
    const [, sent] = fake.calls[1]?.prompt ?? [];
    return sent && 'content' in sent ? sent.content : undefined;
  }

  it('is sent back at its original places', async () => {
    expect(await sentBack((message) => message)).toEqual(back);
  });

  it('is omitted when the message was shortened or came from another model', async () => {
    const plain = back.slice(1, 3).map(({ providerOptions: _, ...part }) => part);
    expect(await sentBack((message) => ({ ...message, content: 'I' }))).toEqual([{ type: 'text', text: 'I' }, plain[1]]);
    expect(await sentBack((message) => ({ ...message, providerData: { from: 'other', data: { parts: [] } } }))).toEqual(plain);
  });

  it('excludes tool calls that the provider executed', async () => {
    const parts: Part[] = [
      { type: 'tool-call', toolCallId: 's1', toolName: 'web_search', input: '{"q":1}', providerExecuted: true },
      { type: 'tool-result', toolCallId: 's1', toolName: 'web_search', result: [1] },
      ...textParts('Found.'),
      finish(),
    ];
    const { model } = make([parts]);
    const reply = await model.generate(hello);
    expect(reply.toolCalls).toEqual([]);
    expect(reply.providerData?.data.parts).toEqual([
      { type: 'tool-call', toolCallId: 's1', toolName: 'web_search', input: { q: 1 }, providerExecuted: true },
      { type: 'tool-result', toolCallId: 's1', toolName: 'web_search', output: { type: 'json', value: [1] } },
      { type: 'text', length: 6 },
    ]);
  });
});

describe('aiSdkModel: tool calls', () => {
  const tools = [{ name: '검색', description: 'Finds.', inputSchema: { type: 'object' } }];

  it('return under their original names with JSON arguments', async () => {
    const { model, fake } = make([
      [
        { type: 'tool-input-start', id: '1', toolName: '__' },
        { type: 'tool-input-delta', id: '1', delta: '{}' },
        { type: 'tool-input-end', id: '1' },
        { type: 'tool-call', toolCallId: '1', toolName: '__', input: '' },
        { type: 'tool-call', toolCallId: '2', toolName: 'unknown', input: '{"a":' },
        finish('tool-calls'),
      ],
    ]);
    const { toolCalls } = await model.generate({ ...hello, tools });
    expect(fake.calls[0]?.tools).toMatchObject([{ name: '__' }]);
    expect(toolCalls).toEqual([
      { id: '1', name: '검색', arguments: '{}' },
      { id: '2', name: 'unknown', arguments: '{"a":' },
    ]);
  });

  it.each<[string, Part[]]>([
    ['without an id', [{ type: 'tool-call', toolCallId: '', toolName: 'x', input: '{}' }]],
    ['without a name', [{ type: 'tool-call', toolCallId: '1', toolName: '', input: '{}' }]],
    ['with a duplicate id', [1, 2].map(() => ({ type: 'tool-call', toolCallId: '1', toolName: 'x', input: '{}' }))],
  ])('%s are rejected', async (_, parts) => {
    await expect(make([[...parts, finish('tool-calls')]]).model.generate(hello)).rejects.toMatchObject({ code: 'MODEL_OUTPUT_INVALID' });
  });
});

describe('aiSdkModel: ends of replies', () => {
  it('report the usage of an unusable reply', async () => {
    const { model } = make([[...textParts('Hi'), finish('length')]]);
    await expect(model.generate(hello)).rejects.toMatchObject({ data: { usage: { inputTokens: 10, outputTokens: 3 } } });
  });

  it.each<[string, Part[], string]>([
    ['the limit of tokens', [...textParts('Hi'), finish('length')], 'MODEL_TRUNCATED'],
    ['a content filter', [...textParts('Hi'), finish('content-filter')], 'MODEL_REFUSED'],
    ['an error', [...textParts('Hi'), finish('error')], 'MODEL_STREAM_CUT'],
    ['an interruption', [...textParts('Hi'), finish('interrupted')], 'MODEL_STREAM_CUT'],
    ['an unknown reason', [...textParts('Hi'), finish('other', 'weird')], 'MODEL_STREAM_CUT'],
    ['no reason', [...textParts('Hi'), { type: 'finish', usage }], 'MODEL_STREAM_CUT'],
    ['no finish part', textParts('Hi'), 'MODEL_STREAM_CUT'],
    ['nothing', [], 'MODEL_STREAM_CUT'],
    ['neither text nor calls', [finish()], 'MODEL_EMPTY'],
    ['an error part', [...textParts('Hi'), { type: 'error', error: new Error('broken') }], 'MODEL_STREAM_CUT'],
    ['an error part before anything', [{ type: 'error', error: { message: 'wrong key' } }], 'MODEL_REQUEST_REFUSED'],
    ['an error part of the provider', [{ type: 'error', error: apiError(400, false) }], 'MODEL_REQUEST_REFUSED'],
  ])('reject a reply with %s', async (_, parts, code) => {
    await expect(make([parts]).model.generate(hello)).rejects.toMatchObject({ code });
  });

  it.each([
    ['other', 'eos'],
    ['other', 'end_turn'],
    ['stop', undefined],
    ['tool-calls', 'tool_calls'],
  ])('accept %s (%s) as a complete reply', async (unified, raw) => {
    expect(await make([[...textParts('Hi'), finish(unified, raw)]]).model.generate(hello)).toMatchObject({ text: 'Hi' });
  });

  it.each<[Part, object, Json | undefined]>([
    [{}, { inputTokens: 0, outputTokens: 0 }, 'not reported'],
    [{ usage: { inputTokens: {}, outputTokens: {} } }, { inputTokens: 0, outputTokens: 0 }, 'not reported'],
    [
      { usage: { inputTokens: { total: 7.5 }, outputTokens: { total: Number.NaN } } },
      { inputTokens: 8, outputTokens: 0 },
      'reported in part',
    ],
    [{ usage: { inputTokens: 7, outputTokens: 1 } }, { inputTokens: 7, outputTokens: 1 }, undefined],
  ])('report usage for %j', async (fields, expected, said) => {
    const { usage: _, ...end } = finish();
    const reply = await make([[...textParts('Hi'), { ...end, ...fields }]]).model.generate(hello);
    expect([reply.usage, (reply.metadata as { readonly usage?: Json }).usage]).toEqual([expected, said]);
  });
});

describe('aiSdkModel: schemas', () => {
  const output = { type: 'json-schema', name: 'answer', schema: { type: 'object', title: 'Answer' } } as const;
  const ignored = { type: 'stream-start', warnings: [{ type: 'unsupported', feature: 'responseFormat' }] };

  it.each([true, false])('move into the prompt when a provider ignores them, and stay there (stream: %s)', async (stream) => {
    const first: Part[] = stream
      ? [ignored, ...textParts('{}'), finish()]
      : [
          { type: 'text', text: 'no' },
          { ...finish(), warnings: ignored.warnings },
        ];
    const whole: Part[] = stream ? [...textParts('{}'), finish()] : [{ type: 'text', text: '{}' }, finish()];
    const { model, fake } = make([first, whole, whole], { stream });
    const told: string[] = [];
    for (const _ of [1, 2]) {
      expect(await model.generate({ ...hello, output, onToken: (text) => told.push(text) })).toMatchObject({ text: '{}' });
    }
    expect(fake.calls.map(({ responseFormat }) => responseFormat)).toEqual([
      { type: 'json', schema: output.schema, name: 'answer' },
      { type: 'json' },
      { type: 'json' },
    ]);
    expect(JSON.stringify(fake.calls[2]?.prompt)).toContain('conforms to this JSON Schema');
    if (stream) expect(told).toEqual(['{}', '{}']);
  });

  it('are rejected before sending when they are not objects', async () => {
    const { model, fake } = make([]);
    const refused = model.generate({ ...hello, output: { type: 'json-schema', name: 'x', schema: true } });
    await expect(refused).rejects.toMatchObject({ code: 'MODEL_REQUEST_REFUSED' });
    expect(fake.calls).toEqual([]);
  });
});

describe('aiSdkModel: errors', () => {
  it.each<[string, Error, string, object]>([
    ['a refused request', apiError(401, false), 'MODEL_REQUEST_REFUSED', { retryable: false, data: { status: 401 } }],
    ['a busy server', apiError(429, true, { 'retry-after': '7200' }), 'MODEL_UNAVAILABLE', { retryable: true, retryAfterMs: 7_200_000 }],
    ['no connection', apiError(undefined, true), 'MODEL_UNAVAILABLE', { retryable: true }],
    ['a failed fetch', Object.assign(new TypeError('fetch failed'), { cause: new Error('x') }), 'MODEL_UNAVAILABLE', {}],
    ['a malformed reply', Object.assign(new Error('bad'), { name: 'AI_JSONParseError' }), 'MODEL_STREAM_CUT', { retryable: true }],
    ['an empty reply', Object.assign(new Error('none'), { name: 'AI_NoContentGeneratedError' }), 'MODEL_EMPTY', {}],
    ['a missing key', Object.assign(new Error('no key'), { name: 'AI_LoadAPIKeyError' }), 'MODEL_REQUEST_REFUSED', {}],
    ['anything else', new Error('what'), 'MODEL_REQUEST_REFUSED', { retryable: false }],
  ])('describe %s', async (_, error, code, fields) => {
    const failed = make([error], { maxRetries: 0 }).model.generate(hello);
    await expect(failed).rejects.toMatchObject({ code, ...fields });
    await expect(failed).rejects.not.toHaveProperty('cause');
  });

  it('are retried up to the limit only if they are transient', async () => {
    const busy = apiError(503, true, { 'retry-after': '0' });
    const { model, fake } = make([busy, busy, [...textParts('Hi'), finish()]]);
    expect(await model.generate(hello)).toMatchObject({ text: 'Hi' });
    expect(fake.calls).toHaveLength(3);
    const once = make([busy, busy], { maxRetries: 1 });
    await expect(once.model.generate(hello)).rejects.toMatchObject({ code: 'MODEL_UNAVAILABLE' });
    expect(once.fake.calls).toHaveLength(2);
    const late = make([apiError(429, true, { 'retry-after': '61' })]);
    await expect(late.model.generate(hello)).rejects.toMatchObject({ code: 'MODEL_UNAVAILABLE', retryAfterMs: 61_000 });
    expect(late.fake.calls).toHaveLength(1);
  });

  it('wait as long as a busy provider asks, but not for an account without credit', async () => {
    const pauses: number[] = [];
    const clock: AiSdkModelOptions['clock'] = {
      monotonic: () => systemClock.monotonic(),
      schedule(delayMs, callback) {
        if (delayMs > 60_000) return () => {};
        pauses.push(delayMs);
        return systemClock.schedule(0, callback);
      },
    };
    const responseBody = '{"error":{"details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"21s"}]}}';
    const busy = Object.assign(apiError(429, true), { responseBody });
    const { model } = make([busy, apiError(529, true, { 'retry-after': '30' }), [...textParts('Hi'), finish()]], { clock });
    expect(await model.generate(hello)).toMatchObject({ text: 'Hi' });
    expect(pauses).toEqual([21_000, 30_000]);
    const empty = make([Object.assign(apiError(429, true), { responseBody: '{"error":{"code":"insufficient_quota"}}' })], { clock });
    await expect(empty.model.generate(hello)).rejects.toMatchObject({ code: 'MODEL_UNAVAILABLE', retryable: false });
    expect(empty.fake.calls).toHaveLength(1);
  });

  it('contain no key', async () => {
    const error = apiError(401, false);
    error.message = 'Incorrect API key provided: sk-proj-abc123def456ghi. Header was team-secret-9.';
    const { model } = make([error], { headers: { authorization: 'Bearer team-secret-9' } });
    await expect(model.generate(hello)).rejects.toMatchObject({
      message: 'The request to "fake-1" was refused: Incorrect API key provided: [secret]. Header was [key].',
    });
  });

  it('reject an unsupported file in the last message and describe one in an earlier message', async () => {
    const unsupported = Object.assign(new Error("'file part media type image/png' functionality not supported."), {
      name: 'AI_UnsupportedFunctionalityError',
    });
    const picture: ChatMessage = { role: 'user', content: 'Look', files: [{ mediaType: 'image/png', data: 'aGk=', name: 'a.png' }] };
    await expect(make([unsupported]).model.generate({ task: 't', messages: [picture] })).rejects.toMatchObject({
      code: 'MODEL_INPUT_UNSUPPORTED',
    });
    const { model, fake } = make([unsupported, [...textParts('ok'), finish()]]);
    await model.generate({ task: 't', messages: [picture, { role: 'assistant', content: 'A cat.' }, { role: 'user', content: 'And?' }] });
    expect(fake.calls[1]?.prompt[0]).toEqual({
      role: 'user',
      content: [{ type: 'text', text: 'Look\n[attached: a.png, image/png, 2 bytes]' }],
    });
  });
});

describe('aiSdkModel: time and aborts', () => {
  it.each([true, false])('stops with the reason of the abort (stream: %s)', async (stream) => {
    const { model, fake } = make(['silence'], { stream });
    const abort = new AbortController();
    const asked = model.generate({ ...hello, signal: abort.signal });
    await vi.waitFor(() => expect(fake.calls).toHaveLength(1));
    abort.abort(new Error('enough'));
    await expect(asked).rejects.toThrow('enough');
    expect(fake.calls[0]?.abortSignal?.aborted).toBe(true);
    if (stream) await vi.waitFor(() => expect(fake.cancelled()).toBe(1));
  });

  it('sends nothing if it was aborted before', async () => {
    const { model, fake } = make([]);
    await expect(model.generate({ ...hello, signal: AbortSignal.abort(new Error('before')) })).rejects.toThrow('before');
    expect(fake.calls).toEqual([]);
  });

  it('ends each attempt whose reply does not begin', async () => {
    const { model } = make(['silence'], { firstByteTimeoutMs: 20, maxRetries: 0 });
    await expect(model.generate(hello)).rejects.toMatchObject({ code: 'MODEL_UNAVAILABLE', data: { limit: 'firstByteTimeoutMs' } });
  });
});

describe('aiSdkModel: arguments', () => {
  it.each<[unknown, string]>([
    ['openai/gpt-5', '"openai/gpt-5" is not a language model'],
    [undefined, 'The value is not a language model'],
    [{ specificationVersion: 'v2', doGenerate() {}, doStream() {} }, 'implements version v2'],
    [{ specificationVersion: 'v4' }, 'implements version v4'],
  ])('reject %j', (value, message) => {
    expect(() => aiSdkModel(value as AiSdkLanguageModel)).toThrow(
      expect.objectContaining({ code: 'OPTION_INVALID', message: expect.stringContaining(message) }),
    );
  });
});
