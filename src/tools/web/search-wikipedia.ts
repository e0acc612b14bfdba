import type { Tool } from '../../core/ports/tool.ts';
import { objectSchema } from '../../core/schema/object-schema.ts';
import { defineTool } from '../define/define-tool.ts';
import { fetchJson, networkProblem } from './fetch-json.ts';
import { createGuardedFetch, type GuardedFetch } from './guarded-fetch.ts';

export interface SearchWikipediaOptions {
  /** Fetch function for the requests. Default: `createGuardedFetch()`. */
  readonly fetch?: GuardedFetch;
  /** True when the user has allowed network access. @default false */
  readonly allowNet?: boolean;
  /** URL of Wikipedia, without a trailing slash; `{language}` stands for the language. @default 'https://{language}.wikipedia.org' */
  readonly baseUrl?: string;
}

const maxResults = 3;
const hangul = /\p{Script=Hangul}/u;

/** Searches Wikipedia for a subject: returns up to three articles with the start of their text. */
export function searchWikipedia(options: SearchWikipediaOptions = {}): Tool {
  const { fetch = createGuardedFetch(), allowNet, baseUrl = 'https://{language}.wikipedia.org' } = options;
  const unavailable = networkProblem(allowNet);
  return defineTool({
    name: 'search_wikipedia',
    description: 'Searches Wikipedia and gives the introductions of the best articles, with their addresses.',
    access: 'search',
    primaryInput: 'query',
    ...(unavailable === undefined ? {} : { unavailable }),
    input: objectSchema(
      {
        query: { type: 'string', minLength: 1, maxLength: 300, description: 'What to look for.' },
        language: {
          description: 'Language code of the Wikipedia. Default: "ko" for a query in Korean, else "en".',
          type: 'string',
          pattern: '^[a-z]{2,3}$',
        },
      },
      { optional: ['language'] },
    ),
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
      const schema = async () => (await import('./answers.ts')).wikipediaAnswer;
      const { query: found } = await fetchJson({ fetch, service: 'Wikipedia', url, signal, schema, unavailable });
      const best = (found?.pages ?? []).toSorted((a, b) => a.index - b.index).slice(0, maxResults);
      return { language, results: best.map(({ title, fullurl, extract }) => ({ title, url: fullurl, extract })) };
    },
  });
}
