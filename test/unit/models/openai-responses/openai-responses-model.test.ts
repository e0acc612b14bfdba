import type { ChatMessage, ChatRequest, JsonObject } from 'agent-machines';
import { type OpenaiResponsesModelOptions, openaiResponsesModel } from 'agent-machines/models/openai';
import { describe, expect, it } from 'vitest';
import { type OpenaiServer, type ServerAnswer, startOpenaiServer } from '../../../fixtures/openai-server.ts';
import {
  callItem,
  type FixtureResponse,
  messageItem,
  reasoningItem,
  responseEvents,
  responseStream,
  wholeResponse,
} from '../../../fixtures/responses-server.ts';

const hello: ChatRequest = { task: 't', messages: [{ role: 'user', content: 'Hello' }] };
const answerOf = (stream: boolean, fixture: FixtureResponse): ServerAnswer =>
  stream ? { type: 'bytes', bytes: responseStream(responseEvents(fixture)) } : { type: 'json', body: wholeResponse(fixture) };
const modelOf = (server: OpenaiServer, options: Partial<OpenaiResponsesModelOptions> = {}) =>
  openaiResponsesModel({ model: 'gpt-test', baseURL: server.url, apiKey: 'sk-test-12345678', maxRetries: 0, ...options });

describe('openaiResponsesModel', () => {
  it.each([true, false])('returns text, reasoning, calls and usage (stream: %s)', async (stream) => {
    await using server = await startOpenaiServer();
    const reasoning = reasoningItem('ZW5jcnlwdGVk', ['First.', 'Second.']);
    server.answer(
      answerOf(stream, { output: [reasoning, messageItem('I look.'), callItem('c1', 'search', '{"q":1}'), callItem('c2', '__', '')] }),
    );
    const told: string[] = [];
    const thought: string[] = [];
    const tools = ['search', '검색'].map((name) => ({ name, description: 'Finds.', inputSchema: { type: 'object' } }));
    const reply = await modelOf(server, { stream }).generate({
      ...hello,
      tools,
      onToken: (text) => told.push(text),
      onReasoning: (text) => thought.push(text),
    });
    expect(reply).toEqual({
      text: 'I look.',
      reasoning: 'First.\n\nSecond.',
      toolCalls: [
        { id: 'c1', name: 'search', arguments: '{"q":1}' },
        { id: 'c2', name: '검색', arguments: '{}' },
      ],
      providerData: {
        from: `${new URL(server.url).host} responses gpt-test`,
        data: {
          items: [
            reasoning,
            { type: 'message', length: 7 },
            { type: 'function_call', call_id: 'c1' },
            { type: 'function_call', call_id: 'c2' },
          ],
        },
      },
      usage: { inputTokens: 10, outputTokens: 7, cachedInputTokens: 4, reasoningTokens: 5 },
      model: 'gpt-test',
      cached: false,
      metadata: { id: 'resp_1', model: 'test-model-2026-01-01' },
    });
    expect([told.join(''), thought.join('')]).toEqual(['I look.', stream ? 'First.\n\nSecond.' : '']);
  });

  it('converts a conversation to items and stores nothing at the provider', async () => {
    await using server = await startOpenaiServer();
    server.answer(answerOf(true, { output: [messageItem('{}')] }));
    const messages: ChatMessage[] = [
      { role: 'system', content: 'Be brief.' },
      {
        role: 'user',
        content: 'Look',
        files: [
          { mediaType: 'image/png', data: 'aGk=' },
          { mediaType: 'application/pdf', data: 'aGk=', name: 'a.pdf' },
        ],
      },
      { role: 'assistant', content: 'I look.', toolCalls: [{ id: 'c1', name: 'search', arguments: '{}' }] },
      { role: 'tool', callId: 'c1', content: 'one' },
    ];
    const schema = { type: 'object', properties: {}, required: [], additionalProperties: false };
    await modelOf(server, {
      reasoningEffort: 'low',
      reasoningSummary: 'auto',
      maxOutputTokens: 9,
      extraBody: { service_tier: 'flex' },
      headers: { 'x-team': 'red' },
    }).generate({
      task: 't',
      messages,
      tools: [{ name: 'search', description: 'Finds.', inputSchema: schema }],
      toolChoice: 'none',
      output: { type: 'json-schema', name: 'my answer', schema },
      temperature: 0,
    });
    const [request] = server.requests;
    expect([request?.path, request?.headers.authorization, request?.headers['x-team']]).toEqual([
      '/v1/responses',
      'Bearer sk-test-12345678',
      'red',
    ]);
    expect(request?.body).toEqual({
      model: 'gpt-test',
      stream: true,
      store: false,
      include: ['reasoning.encrypted_content'],
      input: [
        { role: 'system', content: 'Be brief.' },
        {
          role: 'user',
          content: [
            { type: 'input_text', text: 'Look' },
            { type: 'input_image', detail: 'auto', image_url: 'data:image/png;base64,aGk=' },
            { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,aGk=' },
          ],
        },
        { role: 'assistant', content: 'I look.' },
        { type: 'function_call', call_id: 'c1', name: 'search', arguments: '{}' },
        { type: 'function_call_output', call_id: 'c1', output: 'one' },
      ],
      tools: [{ type: 'function', name: 'search', description: 'Finds.', parameters: schema, strict: false }],
      tool_choice: 'none',
      text: { format: { type: 'json_schema', name: 'my_answer', strict: true, schema } },
      temperature: 0,
      max_output_tokens: 9,
      reasoning: { effort: 'low', summary: 'auto' },
      service_tier: 'flex',
    });
  });

  it('sends its reasoning back in place, except with a shortened message', async () => {
    await using server = await startOpenaiServer();
    const reasoning = reasoningItem('ZW5jcnlwdGVk');
    server.answer(
      answerOf(true, { output: [reasoning, callItem('c1', 'search', '{}')] }),
      answerOf(true, { output: [messageItem('ok')] }),
      answerOf(true, { output: [messageItem('ok')] }),
    );
    const model = modelOf(server);
    const { text, toolCalls, providerData } = await model.generate(hello);
    const answer = { role: 'assistant', content: text, toolCalls, ...(providerData ? { providerData } : {}) } as const;
    for (const content of [text, 'changed']) {
      await model.generate({
        task: 't',
        messages: [...hello.messages, { ...answer, content }, { role: 'tool', callId: 'c1', content: '1' }],
      });
    }
    const call = { type: 'function_call', call_id: 'c1', name: 'search', arguments: '{}' };
    const result = { type: 'function_call_output', call_id: 'c1', output: '1' };
    const question = { role: 'user', content: 'Hello' };
    expect(server.requests.slice(1).map(({ body }) => body.input)).toEqual([
      [question, reasoning, call, result],
      [question, { role: 'assistant', content: 'changed' }, call, result],
    ]);
  });

  it('separates commentary from the answer', async () => {
    await using server = await startOpenaiServer();
    server.answer(
      answerOf(true, { output: [messageItem('Looking …', { phase: 'commentary' }), messageItem('{"a":1}', { phase: 'final_answer' })] }),
    );
    const told: string[] = [];
    const reply = await modelOf(server).generate({ ...hello, onToken: (text) => told.push(text) });
    expect([reply.text, reply.reasoning, told.join('')]).toEqual(['{"a":1}', 'Looking …', '{"a":1}']);
  });

  it('reads a refusal when the last event lists no output', async () => {
    await using server = await startOpenaiServer();
    const ends = responseEvents({ output: [] }).filter(({ type }) => type === 'response.completed');
    const deltas = ['I will ', 'not.'].map((delta) => ({ type: 'response.refusal.delta', output_index: 0, content_index: 0, delta }));
    server.answer({ type: 'bytes', bytes: responseStream([...deltas, ...ends]) });
    await expect(modelOf(server).generate(hello)).rejects.toMatchObject({ code: 'MODEL_REFUSED', data: { text: 'I will not.' } });
  });

  it('reads a stream when the last event lists no output', async () => {
    await using server = await startOpenaiServer();
    const output = [messageItem('I look.'), callItem('c1', 'search', '{"q":1}')];
    const events = responseEvents({ output });
    const bare = (event: JsonObject): JsonObject => {
      const { response, item } = event as { response?: JsonObject; item?: JsonObject };
      if (event.type === 'response.completed') return { ...event, response: { ...response, output: [] } };
      return item?.type === 'function_call' ? { ...event, item: { ...item, arguments: '' } } : event;
    };
    const streams = [
      events.map(bare),
      events.filter(({ type }) => type !== 'response.output_item.done').map(bare),
      events.filter(({ type, item }) => !/output_item/.test(String(type)) || (item as JsonObject).type === 'function_call').map(bare),
    ];
    for (const stream of streams) {
      server.answer({ type: 'bytes', bytes: responseStream(stream) });
      const told: string[] = [];
      const reply = await modelOf(server).generate({ ...hello, onToken: (text) => told.push(text) });
      expect([reply.text, told.join(''), reply.toolCalls]).toEqual([
        'I look.',
        'I look.',
        [{ id: 'c1', name: 'search', arguments: '{"q":1}' }],
      ]);
    }
  });

  it.each([true, false])('reads a whole response to a stream request, and a stream otherwise (stream: %s)', async (stream) => {
    await using server = await startOpenaiServer(async () => answerOf(!stream, { output: [messageItem('Hi')] }));
    const told: string[] = [];
    expect(await modelOf(server, { stream }).generate({ ...hello, onToken: (text) => told.push(text) })).toMatchObject({ text: 'Hi' });
    expect(told.join('')).toBe('Hi');
  });

  it('reads an error in place of a response', async () => {
    await using server = await startOpenaiServer(async () => ({
      type: 'json',
      body: { error: { code: 'server_error', message: 'Oops' } },
    }));
    await expect(modelOf(server).generate(hello)).rejects.toMatchObject({
      code: 'MODEL_UNAVAILABLE',
      message: expect.stringContaining('Oops'),
    });
  });

  it('omits a refused temperature from then on', async () => {
    await using server = await startOpenaiServer();
    const message = "Unsupported parameter: 'temperature' is not supported with this model.";
    server.answer(
      { type: 'json', status: 400, body: { error: { message } } },
      ...[1, 2].map(() => answerOf(true, { output: [messageItem('Hi')] })),
    );
    const model = modelOf(server);
    for (const _ of [1, 2]) expect(await model.generate({ ...hello, temperature: 0 })).toMatchObject({ text: 'Hi' });
    expect(server.requests.map(({ body }) => body.temperature)).toEqual([0, undefined, undefined]);
  });

  it('omits reasoning for a model that does not support it, from then on', async () => {
    await using server = await startOpenaiServer();
    const message = 'Encrypted content is not supported with this model.';
    server.answer(
      { type: 'json', status: 400, body: { error: { message, param: 'include' } } },
      answerOf(true, { output: [messageItem('Hi')] }),
      answerOf(true, { output: [messageItem('Hi')] }),
    );
    const model = modelOf(server);
    for (const _ of [1, 2]) expect(await model.generate(hello)).toMatchObject({ text: 'Hi' });
    expect(server.requests.map(({ body }) => body.include !== undefined)).toEqual([true, false, false]);
  });
});

describe('openaiResponsesModel: ends of replies', () => {
  const hi = [messageItem('Hi')];
  it.each<[string, FixtureResponse, string, object]>([
    ['the limit of tokens', { output: hi, status: 'incomplete', incompleteReason: 'max_output_tokens' }, 'MODEL_TRUNCATED', {}],
    ['a content filter', { output: hi, status: 'incomplete', incompleteReason: 'content_filter' }, 'MODEL_REFUSED', {}],
    ['an unknown reason', { output: hi, status: 'incomplete', incompleteReason: 'weird' }, 'MODEL_STREAM_CUT', {}],
    [
      'a failing server',
      { output: [], status: 'failed', error: { code: 'server_error', message: 'Oops' } },
      'MODEL_UNAVAILABLE',
      { retryable: true },
    ],
    [
      'a refused prompt',
      { output: [], status: 'failed', error: { code: 'invalid_prompt', message: 'No' } },
      'MODEL_REQUEST_REFUSED',
      { retryable: false },
    ],
    [
      'a refusal',
      { output: [messageItem('', { content: [{ type: 'refusal', refusal: 'I will not.' }] })] },
      'MODEL_REFUSED',
      { data: { text: 'I will not.' } },
    ],
    ['nothing', { output: [] }, 'MODEL_EMPTY', {}],
    ['a call without an id', { output: [callItem('', 'x', '{}')] }, 'MODEL_OUTPUT_INVALID', {}],
    ['two calls of one id', { output: [callItem('c', 'x', '{}'), callItem('c', 'y', '{}')] }, 'MODEL_OUTPUT_INVALID', {}],
    ['half a call', { output: [callItem('c', 'x', '{"a', { status: 'incomplete' })] }, 'MODEL_OUTPUT_INVALID', {}],
  ])('reject %s', async (_, fixture, code, fields) => {
    for (const stream of [true, false]) {
      await using server = await startOpenaiServer(async () => answerOf(stream, fixture));
      await expect(modelOf(server, { stream }).generate(hello)).rejects.toMatchObject({ code, ...fields });
    }
  });

  it('report the usage of an unusable reply', async () => {
    for (const stream of [true, false]) {
      const fixture: FixtureResponse = { output: hi, status: 'incomplete', incompleteReason: 'max_output_tokens' };
      await using server = await startOpenaiServer(async () => answerOf(stream, fixture));
      await expect(modelOf(server, { stream }).generate(hello)).rejects.toMatchObject({
        data: { usage: { inputTokens: 10, outputTokens: 7 } },
      });
    }
  });

  it('reject a stream that ends anywhere before the response is completed', async () => {
    const events = responseEvents({ output: hi });
    for (let count = 0; count < events.length; count++) {
      for (const ending of ['end', 'cut'] as const) {
        await using server = await startOpenaiServer(async () => ({
          type: 'bytes',
          bytes: responseStream(events.slice(0, count)),
          ending,
        }));
        await expect(modelOf(server).generate(hello)).rejects.toMatchObject({ code: 'MODEL_STREAM_CUT' });
      }
    }
  });

  it.each<[string, JsonObject, string]>([
    ['an error event', { type: 'error', code: 'rate_limit_exceeded', message: 'Slow down', param: null }, 'MODEL_UNAVAILABLE'],
    ['an error of the request', { type: 'error', code: 'invalid_prompt', message: 'No', param: null }, 'MODEL_REQUEST_REFUSED'],
  ])('reject %s', async (_, event, code) => {
    await using server = await startOpenaiServer(async () => ({ type: 'bytes', bytes: responseStream([event]) }));
    await expect(modelOf(server).generate(hello)).rejects.toMatchObject({ code });
  });

  it('accept a completed response of a stream that stays open', async () => {
    await using server = await startOpenaiServer(async () => ({
      type: 'bytes',
      bytes: responseStream(responseEvents({ output: hi })),
      ending: 'stall',
    }));
    expect(await modelOf(server).generate(hello)).toMatchObject({ text: 'Hi' });
  });

  it.each([
    [401, 'MODEL_REQUEST_REFUSED'],
    [429, 'MODEL_UNAVAILABLE'],
    [503, 'MODEL_UNAVAILABLE'],
  ])('report status %i without the key', async (status, code) => {
    await using server = await startOpenaiServer(async () => ({
      type: 'json',
      status,
      body: { error: { message: 'No: sk-test-12345678' } },
    }));
    const refused = modelOf(server).generate(hello);
    await expect(refused).rejects.toMatchObject({ code, message: expect.not.stringContaining('sk-test'), data: { status } });
  });

  it('reject with the reason of an abort and close the connection', async () => {
    const [first, second, ...rest] = responseEvents({ output: hi });
    const begun = [first, second, ...rest.slice(0, 2)].filter((event) => event !== undefined);
    await using server = await startOpenaiServer(async () => ({ type: 'bytes', bytes: responseStream(begun), ending: 'stall' }));
    const abort = new AbortController();
    const asked = modelOf(server).generate({ ...hello, signal: abort.signal, onToken: () => abort.abort(new Error('enough')) });
    await expect(asked).rejects.toThrow('enough');
    expect(await server.requests[0]?.closed).toBe(false);
  });

  it('reject an unsupported file before sending', async () => {
    await using server = await startOpenaiServer();
    const messages: ChatMessage[] = [{ role: 'user', content: 'Listen', files: [{ mediaType: 'audio/wav', data: 'aGk=' }] }];
    await expect(modelOf(server).generate({ task: 't', messages })).rejects.toMatchObject({ code: 'MODEL_INPUT_UNSUPPORTED' });
    expect(server.requests).toEqual([]);
  });

  it('send the files of a tool result as parts of its output, or as text after a refusal', async () => {
    await using server = await startOpenaiServer();
    const refusal: ServerAnswer = { type: 'json', status: 400, body: { error: { message: 'You uploaded an unsupported image.' } } };
    const ok = answerOf(true, { output: [messageItem('ok')] });
    server.answer(ok, refusal, ok);
    const messages: ChatMessage[] = [
      {
        role: 'tool',
        callId: 'c1',
        content: 'Sales',
        files: [
          { mediaType: 'image/png', data: 'aGk=' },
          { mediaType: 'application/pdf', data: 'aGk=', name: 'a.pdf' },
          { mediaType: 'audio/wav', data: 'aGk=' },
        ],
      },
    ];
    for (let i = 0; i < 2; i++) expect(await modelOf(server).generate({ task: 't', messages })).toMatchObject({ text: 'ok' });
    expect(server.requests.map(({ body }) => Object(body.input)[0].output)).toEqual([
      ...[1, 2].map(() => [
        { type: 'input_text', text: 'Sales\n[attached: audio/wav, 2 bytes, not shown]' },
        { type: 'input_image', detail: 'auto', image_url: 'data:image/png;base64,aGk=' },
        { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,aGk=' },
      ]),
      expect.stringMatching(/^Sales\n.*image\/png.*\n.*a\.pdf.*\n.*audio\/wav/),
    ]);
  });

  it('merge fields of extraBody with their own', async () => {
    await using server = await startOpenaiServer();
    server.answer(answerOf(true, { output: [messageItem('Hi.')] }));
    const extraBody = { reasoning: { summary: 'detailed' }, text: { verbosity: 'low' }, max_output_tokens: 70 };
    const model = modelOf(server, { reasoningEffort: 'low', extraBody });
    await model.generate({ ...hello, output: { type: 'json' } });
    expect(server.requests[0]?.body).toMatchObject({
      reasoning: { effort: 'low', summary: 'detailed' },
      text: { format: { type: 'json_object' }, verbosity: 'low' },
      max_output_tokens: 70,
    });
    expect(model.maxOutputTokens).toBe(70);
  });

  it.each<Partial<OpenaiResponsesModelOptions>>([{ baseURL: 'nowhere' }, { extraBody: { input: [] } }, { maxRetries: -1 }])(
    'refuses the options %j',
    (options) => {
      expect(() => openaiResponsesModel({ model: 'm', apiKey: 'k', ...options })).toThrow(
        expect.objectContaining({ code: 'OPTION_INVALID' }),
      );
    },
  );
});
