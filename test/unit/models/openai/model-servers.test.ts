// What servers are known to send, each over a real connection, and what is made of it.
import { type ChatReply, WorkflowError } from 'agent-machines';
import { openaiModel } from 'agent-machines/models/openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startHttpServer } from '../../../fixtures/http-server.ts';
import { type MadeReply, serverBehaviours } from '../../../fixtures/model-servers.ts';
import { completionChunk, eventStream, type OpenaiServer, startOpenaiServer } from '../../../fixtures/openai-server.ts';

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

describe('openaiModel: known server behaviours', () => {
  it('cover more than 80 streams and 30 whole replies', () => {
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

  it.each([
    ['instead of a reply', 200, /^MODEL_STREAM_CUT: The reply of "m" is a web page: Portal Sign in, please Check the baseURL\. .* \/v1\.$/],
    ['of a proxy', 502, /^MODEL_UNAVAILABLE: "m" is not available: 502 Portal Sign in, please Retry/],
    ['where nothing is', 404, /^MODEL_REQUEST_REFUSED: The request to "m" was refused: 404 Portal Sign in, please Correct/],
  ])('quote the text of a web page %s', async (_, status, expected) => {
    const page = `<!DOCTYPE html>\n<html><head><title>Portal</title><style>p { color: red }</style><script>let a = '<p>';</script></head>
      <body><p>Sign in,\n  please</p></body></html>`;
    const pages = await startHttpServer((_request, response) => {
      response.writeHead(status, { 'content-type': 'text/html' });
      response.end(page);
    });
    const model = openaiModel({ model: 'm', apiKey: 'none', baseURL: pages.origin, maxRetries: 0 });
    const error = await model.generate({ task: 'test', messages: [] }).catch((thrown: unknown) => thrown);
    expect(WorkflowError.isInstance(error) ? `${error.code}: ${error.message} ${error.hint}` : error).toMatch(expected);
  });

  it.each([1, 2, 3])('include characters and lines split into pieces of %i bytes', async (size) => {
    const bytes = Buffer.from(
      eventStream([completionChunk({ content: '안녕 ' }), completionChunk({ content: '🗼' }), completionChunk({}, 'stop')]).replaceAll(
        '\n',
        '\r\n',
      ),
    );
    const pieces = await startHttpServer(async (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/plain' });
      for (let i = 0; i < bytes.length; i += size) {
        response.write(bytes.subarray(i, i + size));
        await new Promise((resolve) => setImmediate(resolve));
      }
      response.end();
    });
    const model = openaiModel({ model: 'm', apiKey: 'none', baseURL: pieces.origin, maxRetries: 0 });
    expect((await model.generate({ task: 'test', messages: [] })).text).toBe('안녕 🗼');
  });

  it('give each call a unique id', async () => {
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
