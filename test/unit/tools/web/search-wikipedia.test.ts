import type { JsonObject, Tool, ToolContext } from 'agent-machines';
import { searchWikipedia } from 'agent-machines/tools/node';
import { describe, expect, it } from 'vitest';
import { guardedFetchTo, startHttpServer } from '../../../fixtures/http-server.ts';

const context: ToolContext = { signal: new AbortController().signal, idempotencyKey: 'k', attempt: 1 };

/** A page as the MediaWiki action API sends it, in the order of page ids and not of rank. */
const pageOf = (index: number, title: string) => ({
  pageid: 9000 - index,
  ns: 0,
  title,
  index,
  extract: `${title} is a test article.`,
  contentmodel: 'wikitext',
  pagelanguage: 'en',
  pagelanguagehtmlcode: 'en',
  pagelanguagedir: 'ltr',
  touched: '2025-06-01T00:00:00Z',
  lastrevid: 1,
  length: 100,
  fullurl: `https://en.wikipedia.org/wiki/${title}`,
  editurl: `https://en.wikipedia.org/w/index.php?title=${title}&action=edit`,
  canonicalurl: `https://en.wikipedia.org/wiki/${title}`,
});

const answerOf = (...pages: object[]) => ({ batchcomplete: true, continue: { gsroffset: 3, continue: 'gsroffset||' }, query: { pages } });

/** The tool against a local server that answers like MediaWiki. */
async function wikipediaOf(answer: unknown, status = 200): Promise<{ tool: Tool; urls: URL[] }> {
  const urls: URL[] = [];
  const server = await startHttpServer((request, response) => {
    urls.push(new URL(request.url ?? '', 'http://localhost'));
    response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' }).end(JSON.stringify(answer));
  });
  return { tool: searchWikipedia({ fetch: guardedFetchTo(server), allowNet: true, baseUrl: `${server.origin}/{language}` }), urls };
}

describe('searchWikipedia', () => {
  it('returns the articles, best first', async () => {
    const { tool } = await wikipediaOf(answerOf(pageOf(2, 'Second'), pageOf(1, 'First')));
    expect(await tool.execute({ query: 'order' }, context)).toEqual({
      language: 'en',
      results: [
        { title: 'First', url: 'https://en.wikipedia.org/wiki/First', extract: 'First is a test article.' },
        { title: 'Second', url: 'https://en.wikipedia.org/wiki/Second', extract: 'Second is a test article.' },
      ],
    });
  });

  it('sends one request for three introductions in plain text', async () => {
    const { tool, urls } = await wikipediaOf(answerOf(pageOf(1, 'First')));
    await tool.execute({ query: 'a&action=delete' }, context);
    expect(urls).toHaveLength(1);
    expect(urls[0]?.pathname).toBe('/en/w/api.php');
    expect(Object.fromEntries(urls[0]?.searchParams ?? [])).toMatchObject({
      action: 'query',
      format: 'json',
      formatversion: '2',
      generator: 'search',
      gsrsearch: 'a&action=delete',
      gsrlimit: '3',
      prop: 'extracts|info',
      explaintext: '1',
      exintro: '1',
      exlimit: '3',
    });
  });

  it('returns at most three articles', async () => {
    const { tool } = await wikipediaOf(answerOf(...[5, 4, 3, 2, 1].map((index) => pageOf(index, `P${index}`))));
    expect(await tool.execute({ query: 'many' }, context)).toMatchObject({ results: [{ title: 'P1' }, { title: 'P2' }, { title: 'P3' }] });
  });

  it.each([
    ['서울', undefined, 'ko'],
    ['history of ㄱ', undefined, 'ko'],
    ['Seoul', undefined, 'en'],
    ['東京', undefined, 'en'],
    ['서울', 'de', 'de'],
    ['Seoul', 'yue', 'yue'],
  ])('searches for %s with language %s in the Wikipedia of %s', async (query, language, expected) => {
    const { tool, urls } = await wikipediaOf(answerOf());
    const args: JsonObject = language === undefined ? { query } : { query, language };
    expect(await tool.execute(args, context)).toEqual({ language: expected, results: [] });
    expect(urls[0]?.pathname).toBe(`/${expected}/w/api.php`);
  });

  it('returns no results if nothing is found', async () => {
    const { tool } = await wikipediaOf({ batchcomplete: true });
    expect(await tool.execute({ query: 'qqqqzzzz' }, context)).toEqual({ language: 'en', results: [] });
  });

  it.each([
    ['an error', { error: { code: 'srsearch-error', info: 'The search failed.', docref: 'See the API.' }, servedby: 'mw1' }],
    ['empty', {}],
    ['a list', []],
    ['pages as an object, as in format version 1', { batchcomplete: '', query: { pages: { 1: pageOf(1, 'First') } } }],
    ['complete with broken pages', { batchcomplete: true, query: { pages: 'none' } }],
    ['a page without text', answerOf({ ...pageOf(1, 'First'), extract: undefined })],
    ['a page without an address', answerOf({ ...pageOf(1, 'First'), fullurl: undefined })],
  ])('fails for an answer that is %s', async (_what, answer) => {
    const { tool } = await wikipediaOf(answer);
    await expect(tool.execute({ query: 'x' }, context)).rejects.toMatchObject({ code: 'TOOL_FAILED', retryable: false });
  });

  it('can be retried if Wikipedia is overloaded', async () => {
    const { tool } = await wikipediaOf({}, 503);
    await expect(tool.execute({ query: 'x' }, context)).rejects.toMatchObject({
      code: 'FETCH_FAILED',
      retryable: true,
      data: { status: 503 },
    });
  });

  it.each<JsonObject>([
    {},
    { query: '' },
    { query: 'x', language: 'EN' },
    { query: 'x', language: 'e' },
    { query: 'x', language: 'evil.example/' },
    { query: 'x', limit: 9 },
  ])('refuses the arguments %j', async (args) => {
    const { tool, urls } = await wikipediaOf(answerOf());
    await expect(tool.execute(args, context)).rejects.toMatchObject({ code: 'TOOL_INPUT_INVALID' });
    expect(urls).toEqual([]);
  });

  it.each([{}, { allowNet: false }])('is unavailable with %j', async (options) => {
    const fetch = () => expect.unreachable('nothing may be fetched');
    const tool = searchWikipedia({ ...options, fetch });
    expect(tool.unavailable).toBe('Network access is off. Allow it with --allow-net.');
    await expect(tool.execute({ query: 'x' }, context)).rejects.toMatchObject({ code: 'TOOL_UNAVAILABLE', message: tool.unavailable });
  });

  it('declares its name, effect and capabilities', () => {
    const tool = searchWikipedia({ allowNet: true });
    expect(tool).toMatchObject({
      name: 'search_wikipedia',
      primaryInput: 'query',
      effect: 'idempotent',
      capabilities: { private: false, untrusted: true, external: true },
      inputSchema: { type: 'object', required: ['query'], additionalProperties: false },
    });
    expect(tool).not.toHaveProperty('unavailable');
  });
});
