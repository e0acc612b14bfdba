// Whole turns against servers as they are: without indexes and [DONE], with signatures and thoughts, without JSON Schema.
import { createRuntime, type JsonObject, type RunEvent } from 'agent-machines';
import { chatAgent } from 'agent-machines/machines/chat-agent';
import { planExecute } from 'agent-machines/machines/plan-execute';
import { openaiModel } from 'agent-machines/models/openai';
import { describe, expect, it } from 'vitest';
import { completionChunk, eventStream, type ServerAnswer, startOpenaiServer } from '../fixtures/openai-server.ts';

const stream = (...chunks: JsonObject[]): ServerAnswer => ({ type: 'bytes', bytes: eventStream(chunks).replace('data: [DONE]\n\n', '') });
const route = stream(completionChunk({ content: '{"route":"agent","reason":"a sum"}' }), completionChunk({}, 'STOP'));

describe('a turn of chat-agent', () => {
  it('works with a server that thinks, signs its calls and gives them no ids', async () => {
    await using server = await startOpenaiServer();
    const signed = {
      function: { name: 'calculator', arguments: '{"expression":"6*7"}' },
      extra_content: { google: { thought_signature: 'c2ln' } },
    };
    server.answer(
      route,
      stream(
        completionChunk({ reasoning_content: 'I shall ' }),
        completionChunk({ reasoning_content: 'multiply.' }),
        completionChunk({ tool_calls: [signed] }, 'stop'),
      ),
      stream(completionChunk({ content: '<think>So it is.</think>\n42' }), completionChunk({}, 'eos')),
    );
    const model = openaiModel({ model: 'm', apiKey: 'none', baseURL: server.url, maxRetries: 0 });
    const run = createRuntime().start(chatAgent({ model }), { input: '6 * 7?' });
    const events: RunEvent[] = [];
    for await (const event of run.events()) events.push(event);
    expect(await run.result).toMatchObject({ status: 'done', output: { answer: '42' } });
    const thoughts = events.flatMap((event) => (event.type === 'thinking' && event.step === 'reasoning' ? [event.content] : []));
    expect(thoughts).toEqual(['I shall multiply.', 'So it is.']);
    expect(events.flatMap((event) => (event.type === 'token' ? [event.text] : [])).join('')).toBe('42');
    const [, , last] = server.requests;
    expect(last?.body.messages).toContainEqual(
      expect.objectContaining({ role: 'assistant', reasoning_content: 'I shall multiply.', tool_calls: [expect.objectContaining(signed)] }),
    );
  });
});

describe('a turn of plan-execute', () => {
  it('works with a server without JSON Schema, which is asked for it once', async () => {
    await using server = await startOpenaiServer(async ({ response_format: format, messages }) => {
      if (JSON.stringify(format ?? {}).includes('json_schema')) {
        return { type: 'json', status: 400, body: { error: { message: 'This response_format type is unavailable now' } } };
      }
      const said = JSON.stringify(messages);
      if (said.includes('rewritten_query') && said.includes('needs_tool') && format) {
        const properties = said.includes('step_id') ? 'plan' : 'intent';
        return { type: 'completion', text: JSON.stringify(properties === 'plan' ? plan : intent) };
      }
      return { type: 'completion', text: format ? JSON.stringify(plan) : '42.' };
    });
    const model = openaiModel({ model: 'm', apiKey: 'none', baseURL: server.url, maxRetries: 0 });
    const { result } = createRuntime().start(planExecute({ model }), { input: '20 + 22?' });
    expect(await result).toMatchObject({ status: 'done', output: { answer: '42.' } });
    expect(server.requests.map(({ body }) => Object(body.response_format).type)).toEqual([
      'json_schema',
      'json_object',
      'json_object',
      undefined,
    ]);
  });
});

const intent = { intent: 'new_question', rewritten_query: 'sum', needs_tool: true, constraints: null };
const plan = { steps: [{ step_id: 1, tool: 'calculator', input: '20+22' }] };
