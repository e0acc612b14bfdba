import type { Tool } from '../../core/ports/tool.ts';
import { objectSchema } from '../../core/schema/object-schema.ts';
import { defineTool } from '../define/define-tool.ts';
import { fetchJson, networkProblem } from './fetch-json.ts';
import { createGuardedFetch, type GuardedFetch } from './guarded-fetch.ts';

export interface GoogleSearchOptions {
  /** Fetch function for the requests. Default: `createGuardedFetch()`. */
  readonly fetch?: GuardedFetch;
  /** True when the user has allowed network access. @default false */
  readonly allowNet?: boolean;
  /** API key of Google's Custom Search API. */
  readonly apiKey?: string;
  /** Id of the search engine (`cx`). */
  readonly engineId?: string;
  /** URL of the API, without a trailing slash. @default 'https://customsearch.googleapis.com' */
  readonly baseUrl?: string;
}

/** Searches the web with Google's Custom Search. */
export function googleSearch(options: GoogleSearchOptions = {}): Tool {
  const { fetch = createGuardedFetch(), allowNet, apiKey = '', engineId = '', baseUrl = 'https://customsearch.googleapis.com' } = options;
  const unavailable =
    apiKey === '' ? 'GOOGLE_API_KEY is not set.' : engineId === '' ? 'GOOGLE_CSE_ID is not set.' : networkProblem(allowNet);
  return defineTool({
    name: 'google_search',
    description: 'Searches the web and gives the best pages, with their addresses and the passages that fit the query.',
    access: 'search',
    primaryInput: 'query',
    ...(unavailable === undefined ? {} : { unavailable }),
    input: objectSchema(
      {
        query: { type: 'string', minLength: 1, maxLength: 400, description: 'What to look for.' },
        maxResults: { description: 'How many pages at the most. Default: 5.', type: 'integer', minimum: 1, maximum: 10 },
      },
      { optional: ['maxResults'] },
    ),
    async execute({ query, maxResults = 5 }, { signal }) {
      const parameters = new URLSearchParams({ cx: engineId, q: query, num: String(maxResults) });
      const { items } = await fetchJson({
        fetch,
        service: 'Google',
        url: `${baseUrl}/customsearch/v1?${parameters}`,
        headers: { 'x-goog-api-key': apiKey }, // keeps the key out of the URL, which errors and logs show
        signal,
        schema: async () => (await import('./answers.ts')).googleAnswer,
        apiKey,
        unavailable,
      });
      return { query, results: items.slice(0, maxResults).map(({ title, link, snippet }) => ({ title, url: link, content: snippet })) };
    },
  });
}
