import * as z from 'zod';
import type { Tool } from '../../ports/tool.ts';
import { defineTool } from '../define-tool.ts';
import { fetchJson, whyOffline } from './fetch-json.ts';
import { createGuardedFetch, type GuardedFetch } from './guarded-fetch.ts';

export interface SearchWikipediaOptions {
  /** Default: `createGuardedFetch()`. */
  readonly fetch?: GuardedFetch;
  /** The user has allowed the network. @default false */
  readonly allowNet?: boolean;
  /** Where Wikipedia is, without a slash at the end; `{language}` stands for the language. @default 'https://{language}.wikipedia.org' */
  readonly baseUrl?: string;
}

const maxResults = 3;
const hangul = /\p{Script=Hangul}/u;

const page = z.object({ index: z.int(), title: z.string(), fullurl: z.string(), extract: z.string() });

const answer = z
  .object({ batchcomplete: z.boolean().optional(), query: z.object({ pages: z.array(page) }).optional() })
  // Nothing found is an answer that is complete without a `query`; an error has neither.
  .refine(({ batchcomplete, query }) => batchcomplete === true || query !== undefined, 'neither pages nor the end of the search');

/** Looks a subject up in Wikipedia: up to three articles with the start of their text. */
export function searchWikipedia(options: SearchWikipediaOptions = {}): Tool {
  const { fetch = createGuardedFetch(), allowNet, baseUrl = 'https://{language}.wikipedia.org' } = options;
  const unavailable = whyOffline(allowNet);
  return defineTool({
    name: 'search_wikipedia',
    description: 'Searches Wikipedia and gives the introductions of the best articles, with their addresses.',
    primaryInput: 'query',
    effect: 'idempotent',
    capabilities: { private: false, untrusted: true, external: true },
    ...(unavailable === undefined ? {} : { unavailable }),
    input: z.strictObject({
      query: z.string().min(1).max(300).describe('What to look for.'),
      language: z
        .string()
        .regex(/^[a-z]{2,3}$/)
        .optional()
        .describe('Language code of the Wikipedia. Default: "ko" for a query in Korean, else "en".'),
    }),
    async execute({ query, language = hangul.test(query) ? 'ko' : 'en' }, { signal }) {
      const parameters = new URLSearchParams({
        action: 'query',
        format: 'json',
        formatversion: '2',
        generator: 'search',
        gsrsearch: query,
        gsrlimit: String(maxResults),
        prop: 'extracts|info',
        inprop: 'url',
        exintro: '1',
        explaintext: '1',
        exchars: '1200',
        exlimit: String(maxResults),
      });
      const url = `${baseUrl.replace('{language}', language)}/w/api.php?${parameters}`;
      const { query: found } = await fetchJson({ fetch, service: 'Wikipedia', url, signal, schema: answer, unavailable });
      const best = (found?.pages ?? []).toSorted((a, b) => a.index - b.index).slice(0, maxResults);
      return { language, results: best.map(({ title, fullurl, extract }) => ({ title, url: fullurl, extract })) };
    },
  });
}
