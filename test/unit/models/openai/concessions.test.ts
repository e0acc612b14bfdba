// Servers that refuse a part of a request: it is left out, once, and what was learned holds for the requests after it.
import type { ChatModel, ChatRequest, JsonObject } from 'agent-machines';
import { type OpenaiModelOptions, openaiModel } from 'agent-machines/models/openai';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type OpenaiServer, type ServerAnswer, startOpenaiServer } from '../../../fixtures/openai-server.ts';

const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'], additionalProperties: false };
const request: ChatRequest = {
  task: 'test.ask',
  messages: [{ role: 'user', content: 'Where?' }],
  output: { type: 'json-schema', name: 'plan', schema },
};
const answer: ServerAnswer = { type: 'completion', text: '{"city":"Paris"}' };
const refusal = (message: string, status = 400, more: JsonObject = {}): ServerAnswer => ({
  type: 'json',
  status,
  body: { error: { message, ...more } },
});

let server: OpenaiServer;
beforeEach(async () => {
  server = await startOpenaiServer();
});
afterEach(() => server.close());

const modelOf = (options: Partial<OpenaiModelOptions> = {}): ChatModel =>
  openaiModel({ model: 'm', apiKey: 'sk-test-0123456789', baseURL: server.url, maxRetries: 0, ...options });
const formats = (): unknown[] => server.requests.map(({ body }) => Object(body.response_format).type);
const sentSchema = (place = -1): boolean => JSON.stringify(server.requests.at(place)?.body.messages).includes('\\"city\\"');

describe('openaiModel: a server without json_schema', () => {
  it.each([
    refusal("Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model."),
    refusal('This response_format type is unavailable now'),
    refusal('This model does not support response format `json_schema`.'),
    refusal('Extra inputs are not permitted', 422, { loc: ['body', 'response_format', 'json_schema'] }),
    refusal('Unrecognized request argument supplied: response_format', 400, { param: 'response_format' }),
    refusal('structured output is not available for this model', 404),
    refusal('guided_json is disabled', 501),
    refusal("Function calling with a response mime type: 'application/json' is unsupported"),
  ])('receives json_object with the schema in the prompt from then on: %j', async (refused) => {
    server.answer(refused, answer, answer);
    const model = modelOf();
    expect(await model.generate(request)).toMatchObject({ text: '{"city":"Paris"}' });
    await model.generate(request);
    expect(formats()).toEqual(['json_schema', 'json_object', 'json_object']);
    expect([0, 1, 2].map(sentSchema)).toEqual([false, true, true]);
  });

  it('receives plain text when it refuses json_object too', async () => {
    server.answer(refusal('json_schema is not supported'), refusal('json_object is not supported'), answer, answer);
    const model = modelOf();
    await model.generate(request);
    await model.generate(request);
    expect(formats()).toEqual(['json_schema', 'json_object', undefined, undefined]);
    expect([2, 3].map(sentSchema)).toEqual([true, true]);
  });

  it('receives at most three requests', async () => {
    for (let i = 0; i < 9; i++) server.answer(refusal('response_format json_schema json_object grammar'));
    await expect(modelOf().generate(request)).rejects.toMatchObject({ code: 'MODEL_REQUEST_REFUSED' });
    expect(formats()).toEqual(['json_schema', 'json_object', undefined]);
  });

  it('changes nothing when it refuses the last form too', async () => {
    server.answer(refusal('bad words: "response_format"'), refusal('bad words'), answer);
    const model = modelOf();
    await expect(model.generate(request)).rejects.toMatchObject({ code: 'MODEL_REQUEST_REFUSED' });
    await model.generate(request);
    expect(formats()).toEqual(['json_schema', 'json_object', 'json_schema']);
  });

  it.each([refusal('The context is too long: 40000 tokens.'), refusal('Wrong key: response_format', 401), refusal('json_schema', 429)])(
    'changes nothing with an unrelated refusal: %j',
    async (refused) => {
      server.answer(refused, answer);
      const model = modelOf();
      await expect(model.generate(request)).rejects.toMatchObject({ code: expect.stringMatching(/^MODEL_/) });
      await model.generate(request);
      expect(formats()).toEqual(['json_schema', 'json_schema']);
    },
  );

  it('can refuse one schema and accept another', async () => {
    server.answer(refusal("Invalid schema for response_format 'plan': 'city' is odd."), answer, answer, answer);
    const model = modelOf();
    await model.generate(request);
    await model.generate({ ...request, output: { type: 'json-schema', name: 'other', schema } });
    await model.generate(request);
    expect(formats()).toEqual(['json_schema', 'json_object', 'json_schema', 'json_object']);
  });

  it('can refuse json_object alone', async () => {
    server.answer(refusal("'response_format.type' must be 'json_schema' or 'text'"), answer, answer);
    const model = modelOf();
    await model.generate({ ...request, output: { type: 'json' } });
    await model.generate(request);
    expect(formats()).toEqual(['json_object', undefined, 'json_schema']);
  });

  it('receives the word JSON if no message contains it', async () => {
    server.answer(answer, answer);
    await modelOf().generate({ ...request, output: { type: 'json' } });
    await modelOf().generate({ ...request, output: { type: 'json' }, messages: [{ role: 'user', content: 'As json, please.' }] });
    expect(server.requests.map(({ body }) => JSON.stringify(body.messages).includes('one JSON value'))).toEqual([true, false]);
  });
});

describe('openaiModel: a server that refuses another field', () => {
  const plain: ChatRequest = { task: 'test.ask', messages: request.messages };
  const cases: {
    name: string;
    options?: Partial<OpenaiModelOptions>;
    more?: Partial<ChatRequest>;
    refused: string;
    before: object;
    after: object;
  }[] = [
    {
      name: 'max_tokens',
      options: { maxOutputTokens: 9 },
      refused: "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
      before: { max_tokens: 9 },
      after: { max_completion_tokens: 9 },
    },
    {
      name: 'max_completion_tokens',
      options: { maxOutputTokens: 9, maxOutputTokensField: 'max_completion_tokens' },
      refused: 'Unknown field: max_completion_tokens',
      before: { max_completion_tokens: 9 },
      after: { max_tokens: 9 },
    },
    {
      name: 'stream_options',
      refused: 'Extra inputs are not permitted: stream_options',
      before: { stream_options: { include_usage: true } },
      after: {},
    },
    {
      name: 'temperature',
      more: { temperature: 0 },
      refused: "Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) value is supported.",
      before: { temperature: 0 },
      after: {},
    },
  ];
  it.each(cases)('receives requests without the field from then on: $name', async ({ options, more, refused, before, after }) => {
    server.answer(refusal(refused), { type: 'completion', text: 'Paris' }, { type: 'completion', text: 'Paris' });
    const model = modelOf(options);
    await model.generate({ ...plain, ...more });
    await model.generate({ ...plain, ...more });
    const fields = ['max_tokens', 'max_completion_tokens', 'stream_options', 'temperature'];
    const sent = server.requests.map(({ body }) =>
      Object.fromEntries(fields.flatMap((field) => (field in body ? [[field, body[field]]] : []))),
    );
    const usual = 'stream_options' in before ? {} : { stream_options: { include_usage: true } };
    expect(sent).toEqual([
      { ...usual, ...before },
      { ...usual, ...after },
      { ...usual, ...after },
    ]);
  });

  it('receives no retry when it refuses the value of the field', async () => {
    server.answer(refusal('max_tokens is too large: 9999999. This model supports at most 4096.'));
    await expect(modelOf({ maxOutputTokens: 9_999_999 }).generate(plain)).rejects.toMatchObject({ code: 'MODEL_REQUEST_REFUSED' });
    expect(server.requests).toHaveLength(1);
  });

  it.each([
    ['gpt-5-mini', 'max_completion_tokens'],
    ['openai/o4-mini', 'max_completion_tokens'],
    ['ft:gpt-5.2:us:x', 'max_completion_tokens'],
    ['gpt-4o-mini', 'max_tokens'],
    ['gpt-oss-120b', 'max_tokens'],
    ['qwen3', 'max_tokens'],
    ['olmo-2', 'max_tokens'],
  ])('receives the reply bound of %s as %s', async (model, field) => {
    server.answer({ type: 'completion', text: 'Paris' });
    await modelOf({ model, maxOutputTokens: 9 }).generate(plain);
    expect(server.requests[0]?.body).toHaveProperty(field, 9);
  });
});
