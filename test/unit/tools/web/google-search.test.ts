import type { IncomingMessage, ServerResponse } from 'node:http';
import { inspect } from 'node:util';
import { type JsonObject, type Tool, type ToolContext, toErrorInfo } from 'agent-machines';
import { googleSearch } from 'agent-machines/tools/node';
import { describe, expect, it } from 'vitest';
import { guardedFetchTo, sendJson, startHttpServer } from '../../../fixtures/http-server.ts';

const apiKey = 'AIza-test-9f8e7d6c5b4a';

const context: ToolContext = { signal: new AbortController().signal, idempotencyKey: 'k', attempt: 1 };

const hitOf = (n: number) => ({
  kind: 'customsearch#result',
  title: `Page ${n}`,
  link: `https://example.com/${n}`,
  displayLink: 'example.com',
  snippet: `Passage ${n}.`,
});

/** What Google sends for a search. */
const answerOf = (count: number) => ({
  kind: 'customsearch#search',
  searchInformation: { searchTime: 0.2, totalResults: String(count) },
  ...(count === 0 ? {} : { items: Array.from({ length: count }, (_, i) => hitOf(i + 1)) }),
});

/** The tool against a local server that answers like Google. */
async function googleOf(handler: (response: ServerResponse) => void, key = apiKey): Promise<{ tool: Tool; received: IncomingMessage[] }> {
  const received: IncomingMessage[] = [];
  const server = await startHttpServer((request, response) => {
    received.push(request);
    handler(response);
  });
  return {
    tool: googleSearch({ fetch: guardedFetchTo(server), allowNet: true, apiKey: key, engineId: 'cx-1', baseUrl: server.origin }),
    received,
  };
}

describe('googleSearch', () => {
  it('returns the pages as plain JSON', async () => {
    const { tool } = await googleOf((response) => sendJson(response, answerOf(2)));
    expect(await tool.execute({ query: '영상 편집' }, context)).toEqual({
      query: '영상 편집',
      results: [
        { title: 'Page 1', url: 'https://example.com/1', content: 'Passage 1.' },
        { title: 'Page 2', url: 'https://example.com/2', content: 'Passage 2.' },
      ],
    });
  });

  it('sends the key in a header, never in the address', async () => {
    const { tool, received } = await googleOf((response) => sendJson(response, answerOf(0)));
    expect(await tool.execute({ query: 'a b', maxResults: 3 }, context)).toEqual({ query: 'a b', results: [] });
    expect(received).toMatchObject([{ method: 'GET', url: '/customsearch/v1?cx=cx-1&q=a+b&num=3', headers: { 'x-goog-api-key': apiKey } }]);
  });

  it.each([
    ['an error with status 200', { error: { message: 'no' } }],
    ['a page without an address', { ...answerOf(1), items: [{ title: 'x' }] }],
  ])('fails for an answer that is %s', async (_what, answer) => {
    const { tool } = await googleOf((response) => sendJson(response, answer));
    await expect(tool.execute({ query: 'any' }, context)).rejects.toMatchObject({ code: 'TOOL_FAILED', retryable: false });
  });

  it.each([
    [429, true],
    [403, false],
  ])('fails for status %i (retryable: %s)', async (status, retryable) => {
    const { tool } = await googleOf((response) => sendJson(response, { error: {} }, status));
    await expect(tool.execute({ query: 'any' }, context)).rejects.toMatchObject({ code: 'FETCH_FAILED', retryable, data: { status } });
  });

  it.each<JsonObject>([{}, { query: '' }, { query: 'a'.repeat(401) }, { query: 'ab', maxResults: 11 }, { query: 'ab', cx: 'other' }])(
    'refuses the arguments %j',
    async (args) => {
      const { tool, received } = await googleOf((response) => sendJson(response, answerOf(1)));
      await expect(tool.execute(args, context)).rejects.toMatchObject({ code: 'TOOL_INPUT_INVALID' });
      expect(received).toEqual([]);
    },
  );

  it.each([
    [{}, 'GOOGLE_API_KEY is not set.'],
    [{ apiKey }, 'GOOGLE_CSE_ID is not set.'],
    [{ apiKey, engineId: 'cx' }, 'Network access is off. Allow it with --allow-net.'],
  ])('is unavailable with %j', async (options, reason) => {
    const tool = googleSearch({ ...options, fetch: () => expect.unreachable('nothing may be fetched') });
    expect(tool.unavailable).toBe(reason);
    await expect(tool.execute({ query: 'any' }, context)).rejects.toMatchObject({ code: 'TOOL_UNAVAILABLE', message: reason });
  });

  it('keeps the key out of every error', async () => {
    for (const handler of [
      (response: ServerResponse) => sendJson(response, { error: { message: `API key not valid: ${apiKey}` } }, 400),
      (response: ServerResponse) => sendJson(response, { ...answerOf(0), items: [{ ...hitOf(1), snippet: apiKey }] }),
      (response: ServerResponse) => response.destroy(),
    ]) {
      const { tool } = await googleOf((response) => void handler(response));
      const error: unknown = await tool.execute({ query: 'any' }, context).catch((error: unknown) => error);
      expect(error).toMatchObject({ code: expect.stringMatching(/^(TOOL_FAILED|FETCH_FAILED)$/) });
      expect(inspect(error, { depth: 9, showHidden: true }) + JSON.stringify(toErrorInfo(error))).not.toContain(apiKey);
    }
  });
});
