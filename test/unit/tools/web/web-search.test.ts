import type { IncomingMessage, ServerResponse } from 'node:http';
import { inspect } from 'node:util';
import { type JsonObject, type Tool, type ToolContext, toErrorInfo } from 'agent-machines';
import { webSearch } from 'agent-machines/tools/node';
import { describe, expect, it } from 'vitest';
import { guardedFetchTo, sendJson, startHttpServer } from '../../../fixtures/http-server.ts';

const apiKey = 'tvly-test-9f8e7d6c5b4a';

const context: ToolContext = { signal: new AbortController().signal, idempotencyKey: 'k', attempt: 1 };

const hitOf = (n: number) => ({
  url: `https://example.com/${n}`,
  title: `Page ${n}`,
  content: `Passage ${n}.`,
  score: 1 / n,
  raw_content: null,
});

/** What Tavily sends for a search. */
const answerOf = (count: number) => ({
  query: 'state machines',
  follow_up_questions: null,
  answer: null,
  images: [],
  results: Array.from({ length: count }, (_, i) => hitOf(i + 1)),
  response_time: 0.84,
  request_id: '3f0c2a1e-0000-4000-8000-000000000000',
});

interface Received {
  readonly request: IncomingMessage;
  readonly body: unknown;
}

/** The tool against a local server that answers like Tavily. */
async function tavilyOf(handler: (response: ServerResponse) => void, key = apiKey): Promise<{ tool: Tool; received: Received[] }> {
  const received: Received[] = [];
  const server = await startHttpServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    received.push({ request, body: JSON.parse(body) });
    handler(response);
  });
  return { tool: webSearch({ fetch: guardedFetchTo(server), allowNet: true, apiKey: key, baseUrl: server.origin }), received };
}

describe('webSearch', () => {
  it('returns the pages as plain JSON', async () => {
    const { tool } = await tavilyOf((response) => sendJson(response, answerOf(2)));
    expect(await tool.execute({ query: 'state machines' }, context)).toEqual({
      query: 'state machines',
      results: [
        { title: 'Page 1', url: 'https://example.com/1', content: 'Passage 1.' },
        { title: 'Page 2', url: 'https://example.com/2', content: 'Passage 2.' },
      ],
    });
  });

  it('posts the query with the key in a header', async () => {
    const { tool, received } = await tavilyOf((response) => sendJson(response, answerOf(0)));
    await tool.execute({ query: 'state machines' }, context);
    expect(received).toMatchObject([
      {
        request: { method: 'POST', url: '/search', headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' } },
        body: { query: 'state machines', max_results: 5 },
      },
    ]);
  });

  it('returns at most the requested number of pages', async () => {
    const { tool, received } = await tavilyOf((response) => sendJson(response, answerOf(10)));
    expect(await tool.execute({ query: 'many', maxResults: 3 }, context)).toMatchObject({ results: [{}, {}, {}] });
    expect(received).toMatchObject([{ body: { max_results: 3 } }]);
  });

  it.each([
    ['not JSON', 'results'],
    ['an error with status 200', { detail: { error: 'no' } }],
    ['without results', { ...answerOf(0), results: null }],
    ['a result without a title', { ...answerOf(0), results: [{ ...hitOf(1), title: undefined }] }],
    ['a result without a passage', { ...answerOf(0), results: [{ ...hitOf(1), content: null }] }],
  ])('fails for an answer that is %s', async (_what, answer) => {
    const { tool } = await tavilyOf((response) => {
      if (typeof answer === 'string') response.writeHead(200, { 'content-type': 'application/json' }).end(answer);
      else sendJson(response, answer);
    });
    await expect(tool.execute({ query: 'any' }, context)).rejects.toMatchObject({ code: 'TOOL_FAILED', retryable: false });
  });

  it('reports an answer that is not JSON', async () => {
    const { tool } = await tavilyOf((response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Hello</p>'));
    const message = 'Tavily sent an unexpected answer: it is not JSON.';
    await expect(tool.execute({ query: 'any' }, context)).rejects.toMatchObject({ code: 'TOOL_FAILED', message });
  });

  it.each([
    [429, true],
    [432, false],
    [500, true],
  ])('fails for status %i (retryable: %s)', async (status, retryable) => {
    const { tool } = await tavilyOf((response) => sendJson(response, { detail: { error: 'no' } }, status));
    await expect(tool.execute({ query: 'any' }, context)).rejects.toMatchObject({ code: 'FETCH_FAILED', retryable, data: { status } });
  });

  it.each<JsonObject>([
    {},
    { query: 'a' },
    { query: 'a'.repeat(401) },
    { query: 'ab', maxResults: 0 },
    { query: 'ab', maxResults: 11 },
    { query: 'ab', maxResults: 1.5 },
    { query: 'ab', topic: 'x' },
  ])('refuses the arguments %j', async (args) => {
    const { tool, received } = await tavilyOf((response) => sendJson(response, answerOf(1)));
    await expect(tool.execute(args, context)).rejects.toMatchObject({ code: 'TOOL_INPUT_INVALID' });
    expect(received).toEqual([]);
  });

  it.each([
    [{}, 'TAVILY_API_KEY is not set.'],
    [{ allowNet: true }, 'TAVILY_API_KEY is not set.'],
    [{ apiKey }, 'Network access is off. Allow it with --allow-net.'],
  ])('is unavailable with %j', async (options, reason) => {
    const fetch = () => expect.unreachable('nothing may be fetched');
    const tool = webSearch({ ...options, fetch });
    expect(tool.unavailable).toBe(reason);
    await expect(tool.execute({ query: 'any' }, context)).rejects.toMatchObject({ code: 'TOOL_UNAVAILABLE', message: reason });
  });

  it('declares its name, effect and capabilities', () => {
    const tool = webSearch({ allowNet: true, apiKey });
    expect(tool).toMatchObject({
      name: 'web_search',
      primaryInput: 'query',
      effect: 'idempotent',
      capabilities: { private: false, untrusted: true, external: true },
      inputSchema: { type: 'object', required: ['query'], additionalProperties: false },
    });
    expect(tool).not.toHaveProperty('unavailable');
    expect(inspect(tool, { depth: 9 })).not.toContain(apiKey);
  });

  it.each([
    ['is refused', apiKey, (response: ServerResponse) => sendJson(response, { detail: { error: `Unauthorized: ${apiKey}` } }, 401)],
    [
      'comes back in the answer',
      apiKey,
      (response: ServerResponse) => sendJson(response, { results: [{ ...hitOf(1), content: `x ${apiKey}` }] }),
    ],
    ['comes back in another shape', apiKey, (response: ServerResponse) => sendJson(response, { [apiKey]: 1, results: [apiKey] })],
    ['meets a broken connection', apiKey, (response: ServerResponse) => response.destroy()],
    ['cannot be sent in a header', `${apiKey}\nx`, (response: ServerResponse) => sendJson(response, answerOf(1))],
    ['has letters that no header has', `${apiKey}열쇠`, (response: ServerResponse) => sendJson(response, answerOf(1))],
  ])('keeps the key out of the error if it %s', async (_what, key, handler) => {
    const { tool } = await tavilyOf((response) => void handler(response), key);
    const error: unknown = await tool.execute({ query: 'any' }, context).catch((error: unknown) => error);
    expect(error).toMatchObject({ code: expect.stringMatching(/^(TOOL_FAILED|FETCH_FAILED)$/) });
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain(apiKey);
    expect(JSON.stringify(toErrorInfo(error))).not.toContain(apiKey);
  });
});
