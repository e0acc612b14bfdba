// What a provider wants back with its own message goes back unchanged, as it came: streamed or whole, in the message or in its calls.
import type { ChatModel, ChatReply, ChatRequest, JsonObject } from 'agent-machines';
import { assistantMessage } from 'agent-machines/models';
import { type OpenaiModelOptions, openaiModel } from 'agent-machines/models/openai';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { completionChunk, eventStream, type OpenaiServer, startOpenaiServer, wholeCompletion } from '../../../fixtures/openai-server.ts';

let server: OpenaiServer;
beforeEach(async () => {
  server = await startOpenaiServer();
});
afterEach(() => server.close());

const modelOf = (options: Partial<OpenaiModelOptions> = {}): ChatModel =>
  openaiModel({ model: 'm', apiKey: 'sk-test-0123456789', baseURL: server.url, maxRetries: 0, ...options });
const ask: ChatRequest = { task: 'test', messages: [{ role: 'user', content: 'How warm is it?' }] };
const call = { id: 'call_a', type: 'function', function: { name: 'look', arguments: '{}' } };

/** What goes back with the message that keeps a reply. */
async function sentBack(reply: ChatReply, model = modelOf()): Promise<JsonObject> {
  server.answer({ type: 'completion', text: 'Warm.' });
  const answers = reply.toolCalls.map(({ id }) => ({ role: 'tool' as const, callId: id, content: '20' }));
  await model.generate({ ...ask, messages: [...ask.messages, assistantMessage(reply), ...answers] });
  const messages = server.requests.at(-1)?.body.messages as JsonObject[];
  return messages.find(({ role }) => role === 'assistant') ?? {};
}

const details: readonly JsonObject[] = [
  { type: 'reasoning.text', text: 'Look outside.', signature: 'c2ln', format: 'x', index: 0 },
  { type: 'reasoning.encrypted', data: 'ZW5jcnlwdGVk', id: 'rs_1', format: 'x', index: 1 },
];
const cases: { name: string; message: JsonObject; deltas: readonly JsonObject[]; thought: string }[] = [
  {
    name: 'reasoning_content',
    message: { content: null, reasoning_content: 'Look outside.', tool_calls: [call] },
    deltas: [{ reasoning_content: 'Look ' }, { reasoning_content: 'outside.' }, { tool_calls: [{ index: 0, ...call }] }],
    thought: 'Look outside.',
  },
  {
    name: 'reasoning',
    message: { content: 'Let me look.', reasoning: 'Look outside.', tool_calls: [call] },
    deltas: [{ reasoning: 'Look ' }, { reasoning: 'outside.' }, { content: 'Let me look.' }, { tool_calls: [{ index: 0, ...call }] }],
    thought: 'Look outside.',
  },
  {
    name: 'a thought_signature of a call',
    message: { content: null, tool_calls: [{ ...call, extra_content: { google: { thought_signature: 'c2ln' } } }] },
    deltas: [{ tool_calls: [{ ...call, extra_content: { google: { thought_signature: 'c2ln' } } }] }],
    thought: '',
  },
  {
    name: 'fields of a function',
    message: {
      content: null,
      tool_calls: [{ ...call, function: { ...call.function, provider_specific_fields: { thought_signature: 'c2ln' } } }],
    },
    deltas: [
      { tool_calls: [{ index: 0, ...call, function: { ...call.function, provider_specific_fields: { thought_signature: 'c2ln' } } }] },
    ],
    thought: '',
  },
  {
    name: 'reasoning_details, encrypted and signed',
    message: { content: null, reasoning_details: details, tool_calls: [call] },
    deltas: [
      { reasoning_details: [{ type: 'reasoning.text', text: 'Look ', format: 'x', index: 0 }] },
      { reasoning_details: [{ type: 'reasoning.text', text: 'outside.', signature: 'c2ln', format: 'x', index: 0 }] },
      { reasoning_details: [details[1] ?? {}] },
      { tool_calls: [{ index: 0, ...call }] },
    ],
    thought: 'Look outside.',
  },
  {
    name: 'thoughts among the parts of the content',
    message: {
      content: [
        { type: 'thinking', thinking: [{ type: 'text', text: 'Look outside.' }] },
        { type: 'text', text: 'Let me look.' },
      ],
      tool_calls: [call],
    },
    deltas: [
      { content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'Look ' }] }] },
      { content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'outside.' }] }] },
      { content: [{ type: 'text', text: 'Let me look.' }] },
      { tool_calls: [{ index: 0, ...call }] },
    ],
    thought: 'Look outside.',
  },
];

describe('openaiModel: provider data', () => {
  it.each(cases)('is sent back unchanged after a whole reply: $name', async ({ message, thought }) => {
    const body = {
      ...wholeCompletion({}),
      choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: 'tool_calls' }],
    };
    server.answer({ type: 'json', body });
    const reply = await modelOf({ stream: false }).generate(ask);
    expect(reply.reasoning ?? '').toBe(thought);
    expect(reply.text).not.toContain('outside');
    expect(await sentBack(reply)).toEqual({ role: 'assistant', ...message });
  });

  it.each(cases)('is sent back unchanged after a stream: $name', async ({ message, deltas, thought }) => {
    server.answer({
      type: 'bytes',
      bytes: eventStream([...deltas.map((delta) => completionChunk(delta)), completionChunk({}, 'tool_calls')]),
    });
    const heard: string[] = [];
    const reply = await modelOf().generate({ ...ask, onReasoning: (text) => heard.push(text) });
    expect([reply.reasoning ?? '', heard.join('')]).toEqual([thought, thought]);
    const { content, ...fields } = await sentBack(reply);
    const { content: whole, ...expected } = message;
    expect(fields).toEqual({ role: 'assistant', ...expected });
    expect(textOf(content)).toBe(textOf(whole));
  });

  it('is sent only to the model that produced it', async () => {
    server.answer({
      type: 'json',
      body: { ...wholeCompletion({}), choices: [{ message: cases[0]?.message, finish_reason: 'tool_calls' }] },
    });
    const reply = await modelOf({ stream: false }).generate(ask);
    expect(Object.keys(await sentBack(reply, modelOf({ model: 'other' })))).toEqual(['role', 'content', 'tool_calls']);
  });

  it('is omitted for a server that does not support it, from then on', async () => {
    server.answer({
      type: 'json',
      body: { ...wholeCompletion({}), choices: [{ message: cases[0]?.message, finish_reason: 'tool_calls' }] },
    });
    const model = modelOf({ stream: false });
    const reply = await model.generate(ask);
    server.answer({ type: 'json', status: 400, body: { error: { message: "property 'reasoning_content' is unsupported" } } });
    expect(await sentBack(reply, model)).not.toHaveProperty('reasoning_content');
    expect(await sentBack(reply, model)).not.toHaveProperty('reasoning_content');
    expect(server.requests).toHaveLength(4);
  });

  it('is empty when a server requires it and there is none', async () => {
    const model = modelOf({ stream: false });
    const reply = { text: 'Hm.', toolCalls: [] } as unknown as ChatReply;
    server.answer({
      type: 'json',
      status: 400,
      body: { error: { message: 'The `reasoning_content` in the thinking mode must be passed back to the API.' } },
    });
    expect(await sentBack(reply, model)).toMatchObject({ reasoning_content: '', content: 'Hm.' });
  });
});

/** The words of a content, with the thoughts among its parts. */
function textOf(content: unknown): string {
  if (!Array.isArray(content)) return String(content);
  return content.map(({ text, thinking }) => text ?? thinking.map((part: { text: string }) => part.text).join('')).join('|');
}

describe('openaiModel: reasoning options', () => {
  it('are sent with each request', async () => {
    server.answer({ type: 'completion', text: 'Warm.' });
    const options = {
      reasoningEffort: 'high',
      headers: { 'x-team': 'a' },
      extraBody: { chat_template_kwargs: { enable_thinking: true }, stream_options: null },
    };
    await modelOf(options).generate(ask);
    expect(server.requests[0]).toMatchObject({
      headers: { 'x-team': 'a' },
      body: { reasoning_effort: 'high', chat_template_kwargs: { enable_thinking: true }, stream_options: null },
    });
  });

  it('reject messages and stream', () => {
    expect(() => modelOf({ extraBody: { messages: [] } })).toThrow(expect.objectContaining({ code: 'OPTION_INVALID' }));
    expect(() => modelOf({ extraBody: { stream: false } })).toThrow(expect.objectContaining({ code: 'OPTION_INVALID' }));
  });

  it('never show the value of a header', async () => {
    server.answer({ type: 'json', status: 401, body: { error: { message: 'Bad: Bearer tok-0123456789, tok-0123456789' } } });
    const answer = modelOf({ headers: { 'x-auth': 'Bearer tok-0123456789' } }).generate(ask);
    await expect(answer).rejects.toMatchObject({ message: expect.stringContaining('Bad: [key], [key]') });
  });

  it('count reasoning tokens', async () => {
    server.answer({
      type: 'completion',
      text: 'Warm.',
      usage: { prompt_tokens: 9, completion_tokens: 8, completion_tokens_details: { reasoning_tokens: 7 } },
    });
    expect(await modelOf().generate(ask)).toMatchObject({ usage: { inputTokens: 9, outputTokens: 8, reasoningTokens: 7 } });
  });
});
