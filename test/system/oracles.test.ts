// What servers send, read by us and by the AI SDK's provider; and a mock of a model server that is not ours, read by us.
import type { ChatModel, ChatRequest } from 'agent-machines';
import { askModel, assistantMessage } from 'agent-machines/models';
import { openaiModel } from 'agent-machines/models/openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serverBehaviours } from '../fixtures/model-servers.ts';
import { type OpenaiServer, startOpenaiServer } from '../fixtures/openai-server.ts';
import { aiSdkOutcome } from './ai-sdk/ai-sdk-outcome.ts';
import { installedFile, installFolder } from './install-folder.ts';

let server: OpenaiServer;
beforeAll(async () => {
  installFolder('ai-sdk');
  server = await startOpenaiServer();
}, 300_000);
afterAll(() => server.close());

describe("openaiModel beside the AI SDK's provider", () => {
  it.each(serverBehaviours)('$name (stream: $stream)', async ({ stream, bytes, made, better }) => {
    server.answer({ type: 'bytes', bytes, contentType: stream ? 'text/event-stream' : 'application/json' });
    const theirs = await aiSdkOutcome(server.url, { stream });
    // an error of ours says which; of theirs it is enough that it is one
    const same: unknown = 'error' in made ? anyError : expect.objectContaining<object>({ ...blank, ...made });
    if (better === undefined) expect(theirs).toEqual(same);
    else expect(theirs, 'both make the same of it: the table is out of date').not.toEqual(same);
  });
});

const anyError: unknown = expect.objectContaining<object>({ error: expect.anything() });
const blank = { text: '', reasoning: '', calls: [] };

interface Mock {
  readonly url: string;
  on(match: object, response: object, options?: object): Mock;
  nextRequestError(status: number, body?: object): void;
  setChaos(config: object): Mock;
  clearChaos(): Mock;
  start(): Promise<string>;
  stop(): Promise<void>;
}

describe('openaiModel on a third-party mock server', () => {
  let mock: Mock;
  beforeAll(async () => {
    const { LLMock } = (await import(installedFile('ai-sdk', '@copilotkit/aimock/dist/index.js').href)) as {
      LLMock: new (options: object) => Mock;
    };
    mock = new LLMock({ port: 0, chunkSize: 3 });
    mock.on({ userMessage: 'capital' }, { content: 'Paris, 파리 🗼.', reasoning: 'It is in France.' });
    mock.on({ userMessage: 'weather', hasToolResult: true }, { content: 'It is warm.' });
    mock.on(
      { userMessage: 'weather' },
      {
        toolCalls: [
          { name: 'look', arguments: '{"city":"Paris"}' },
          { name: 'look', arguments: '{"city":"Seoul"}' },
        ],
      },
    );
    await mock.start();
  });
  afterAll(() => mock.stop());

  const modelOf = (stream: boolean): ChatModel =>
    openaiModel({ model: 'm', apiKey: 'none', baseURL: `${mock.url}/v1`, maxRetries: 1, stream });
  const tools = [{ name: 'look', description: 'Looks.', inputSchema: { type: 'object', properties: { city: { type: 'string' } } } }];
  const ask = (content: string): ChatRequest => ({ task: 'test', messages: [{ role: 'user', content }], tools });
  const io = { emit: () => {}, signal: new AbortController().signal };

  it.each([true, false])('reads text and reasoning (stream: %s)', async (stream) => {
    expect(await askModel(modelOf(stream), ask('The capital?'), { io })).toMatchObject({
      text: 'Paris, 파리 🗼.',
      reasoning: 'It is in France.',
    });
  });

  it.each([true, false])('reads parallel calls, and sends their answers (stream: %s)', async (stream) => {
    const first = ask('The weather?');
    const reply = await modelOf(stream).generate(first);
    expect(reply.toolCalls).toMatchObject([
      { name: 'look', arguments: '{"city":"Paris"}' },
      { name: 'look', arguments: '{"city":"Seoul"}' },
    ]);
    const answers = reply.toolCalls.map(({ id }) => ({ role: 'tool' as const, callId: id, content: '20' }));
    const next = await modelOf(stream).generate({ ...first, messages: [...first.messages, assistantMessage(reply), ...answers] });
    expect(next.text).toBe('It is warm.');
  });

  it('retries after a transient error', async () => {
    mock.nextRequestError(503, { message: 'Busy.' });
    expect(await modelOf(true).generate(ask('The capital?'))).toMatchObject({ text: 'Paris, 파리 🗼.' });
  });

  it.each([
    { chaos: { disconnectRate: 1 }, codes: /MODEL_(?:UNAVAILABLE|STREAM_CUT)/ },
    { chaos: { malformedRate: 1 }, codes: /MODEL_(?:UNAVAILABLE|STREAM_CUT)/ },
    { chaos: { dropRate: 1 }, codes: /MODEL_(?:UNAVAILABLE|STREAM_CUT)/ },
  ])('rejects a broken reply: $chaos', async ({ chaos, codes }) => {
    mock.setChaos(chaos);
    await expect(modelOf(true).generate(ask('The capital?'))).rejects.toMatchObject({ code: expect.stringMatching(codes) });
    await expect(modelOf(false).generate(ask('The capital?'))).rejects.toMatchObject({ code: expect.stringMatching(codes) });
    mock.clearChaos();
  });
});
