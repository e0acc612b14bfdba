import * as z from 'zod';
import type { Tool } from '../../ports/tool.ts';
import { defineTool } from '../define-tool.ts';
import { fetchJson, whyOffline } from './fetch-json.ts';
import { createGuardedFetch, type GuardedFetch } from './guarded-fetch.ts';

export interface GoogleSearchOptions {
  /** Default: `createGuardedFetch()`. */
  readonly fetch?: GuardedFetch;
  /** The user has allowed the network. @default false */
  readonly allowNet?: boolean;
  /** Key of Google's Custom Search API. */
  readonly apiKey?: string;
  /** Id of the search engine (`cx`). */
  readonly engineId?: string;
  /** Where the API is, without a slash at the end. @default 'https://customsearch.googleapis.com' */
  readonly baseUrl?: string;
}

const answer = z.object({
  searchInformation: z.object({}).optional(),
  items: z.array(z.object({ title: z.string(), link: z.string(), snippet: z.string().default('') })).default([]),
});

/** Searches the web with Google's Custom Search. */
export function googleSearch(options: GoogleSearchOptions = {}): Tool {
  const { fetch = createGuardedFetch(), allowNet, apiKey = '', engineId = '', baseUrl = 'https://customsearch.googleapis.com' } = options;
  const unavailable = apiKey === '' ? 'GOOGLE_API_KEY is not set.' : engineId === '' ? 'GOOGLE_CSE_ID is not set.' : whyOffline(allowNet);
  return defineTool({
    name: 'google_search',
    description: 'Searches the web and gives the best pages, with their addresses and the passages that fit the query.',
    primaryInput: 'query',
    effect: 'idempotent',
    capabilities: { private: false, untrusted: true, external: true },
    ...(unavailable === undefined ? {} : { unavailable }),
    input: z.strictObject({
      query: z.string().min(1).max(400).describe('What to look for.'),
      maxResults: z.int().min(1).max(10).optional().describe('How many pages at the most. Default: 5.'),
    }),
    async execute({ query, maxResults = 5 }, { signal }) {
      const parameters = new URLSearchParams({ cx: engineId, q: query, num: String(maxResults) });
      const { items } = await fetchJson({
        fetch,
        service: 'Google',
        url: `${baseUrl}/customsearch/v1?${parameters}`,
        headers: { 'x-goog-api-key': apiKey }, // not in the address, which errors and logs show
        signal,
        schema: answer.refine(
          ({ searchInformation, items }) => searchInformation !== undefined || items.length > 0,
          'neither pages nor the end of the search',
        ),
        apiKey,
        unavailable,
      });
      return { query, results: items.slice(0, maxResults).map(({ title, link, snippet }) => ({ title, url: link, content: snippet })) };
    },
  });
}
