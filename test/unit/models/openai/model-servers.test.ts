// What servers are known to send, each over a real connection, and what is made of it.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WorkflowError } from '../../../../src/errors.ts';
import { openaiModel } from '../../../../src/models/openai/openai-model.ts';
import type { ChatReply } from '../../../../src/ports/chat-model.ts';
import { type MadeReply, serverBehaviours } from '../../../fixtures/model-servers.ts';
import { type OpenaiServer, startOpenaiServer } from '../../../fixtures/openai-server.ts';

let server: OpenaiServer;
beforeAll(async () => {
  server = await startOpenaiServer();
});
afterAll(() => server.close());

const madeOf = ({ text, toolCalls, reasoning, usage }: ChatReply): Required<MadeReply> => ({
  text,
  reasoning: reasoning ?? '',
  calls: toolCalls.map(({ name, arguments: json }) => [name, JSON.parse(json)]),
  usage: [usage.inputTokens, usage.outputTokens],
});

describe('openaiModel: what servers send', () => {
  it('is a table of more than a hundred behaviours, streamed and whole', () => {
    expect(serverBehaviours.filter(({ stream }) => stream).length).toBeGreaterThan(80);
    expect(serverBehaviours.filter(({ stream }) => !stream).length).toBeGreaterThan(30);
  });

  it.each(serverBehaviours)('$name (stream: $stream)', async ({ stream, bytes, made }) => {
    server.answer({ type: 'bytes', bytes, contentType: stream ? 'text/event-stream' : 'application/json' });
    const tokens: string[] = [];
    const model = openaiModel({ model: 'm', apiKey: 'sk-test-0123456789', baseURL: server.url, maxRetries: 0, stream });
    const outcome = await model
      .generate({ task: 'test', messages: [{ role: 'user', content: 'Hi' }], onToken: (token) => tokens.push(token) })
      .then(madeOf, (error: unknown) => ({ error: WorkflowError.isInstance(error) ? error.code : String(error) }));
    expect(outcome).toMatchObject('error' in made ? made : { text: '', reasoning: '', calls: [], ...made });
    if ('text' in outcome && !/<\/think> alone/.test(expect.getState().currentTestName ?? '')) expect(tokens.join('')).toBe(outcome.text);
  });

  it('gives each call an id of its own', async () => {
    for (const { stream, bytes, made } of serverBehaviours) {
      if (!('calls' in made)) continue;
      server.answer({ type: 'bytes', bytes });
      const model = openaiModel({ model: 'm', apiKey: 'sk-test-0123456789', baseURL: server.url, maxRetries: 0, stream });
      const { toolCalls } = await model.generate({ task: 'test', messages: [{ role: 'user', content: 'Hi' }] });
      expect(new Set(toolCalls.map(({ id }) => id)).size).toBe(toolCalls.length);
      expect(toolCalls.every(({ id }) => /^[A-Za-z0-9_-]+$/.test(id))).toBe(true);
    }
  });
});
