import type { Tool } from '../../core/ports/tool.ts';
import { objectSchema } from '../../core/schema/object-schema.ts';
import { defineTool } from '../define/define-tool.ts';
import { fetchJson, networkProblem } from './fetch-json.ts';
import { createGuardedFetch, type GuardedFetch } from './guarded-fetch.ts';

export interface WebSearchOptions {
  /** Fetch function for the requests. Default: `createGuardedFetch()`. */
  readonly fetch?: GuardedFetch;
  /** True when the user has allowed network access. @default false */
  readonly allowNet?: boolean;
  /** API key of Tavily. */
  readonly apiKey?: string;
  /** URL of Tavily, without a trailing slash. @default 'https://api.tavily.com' */
  readonly baseUrl?: string;
}

/** Searches the web with Tavily. */
export function webSearch(options: WebSearchOptions = {}): Tool {
  const { fetch = createGuardedFetch(), allowNet, apiKey = '', baseUrl = 'https://api.tavily.com' } = options;
  const unavailable = apiKey === '' ? 'TAVILY_API_KEY is not set.' : networkProblem(allowNet);
  return defineTool({
    name: 'web_search',
    description: 'Searches the web and gives the best pages, with their addresses and the passages that fit the query.',
    access: 'search',
    primaryInput: 'query',
    ...(unavailable === undefined ? {} : { unavailable }),
    input: objectSchema(
      {
        // Tavily rejects shorter and longer queries
        query: { type: 'string', minLength: 2, maxLength: 400, description: 'What to look for.' },
        maxResults: { description: 'How many pages at the most. Default: 5.', type: 'integer', minimum: 1, maximum: 10 },
      },
      { optional: ['maxResults'] },
    ),
    async execute({ query, maxResults = 5 }, { signal }) {
      const { results } = await fetchJson({
        fetch,
        service: 'Tavily',
        url: `${baseUrl}/search`,
        method: 'POST',
        headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({ query, max_results: maxResults }),
        signal,
        schema: async () => (await import('./answers.ts')).tavilyAnswer,
        apiKey,
        unavailable,
      });
      return { query, results: results.slice(0, maxResults) };
    },
  });
}
