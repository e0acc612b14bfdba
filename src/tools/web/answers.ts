import * as z from 'zod';

// What the services must answer. Loaded with an answer: most runs ask none of them.

/** Of Tavily. */
export const tavilyAnswer = z.object({ results: z.array(z.object({ title: z.string(), url: z.string(), content: z.string() })) });

/** Of OpenWeather. */
export const openWeatherAnswer = z.object({
  name: z.string(),
  // the open sea has no country
  sys: z.object({ country: z.string().optional() }),
  weather: z.array(z.object({ description: z.string() })).min(1),
  main: z.object({ temp: z.number(), feels_like: z.number(), humidity: z.number() }),
  wind: z.object({ speed: z.number() }),
  // seconds since 1970, as far as a Date reaches
  dt: z.int().min(0).max(8_640_000_000_000),
});

/** Of Google. */
export const googleAnswer = z
  .object({
    searchInformation: z.object({}).optional(),
    items: z.array(z.object({ title: z.string(), link: z.string(), snippet: z.string().default('') })).default([]),
  })
  .refine(({ searchInformation, items }) => searchInformation !== undefined || items.length > 0, 'neither pages nor the end of the search');

const page = z.object({ index: z.int(), title: z.string(), fullurl: z.string(), extract: z.string() });

/** Of Wikipedia. */
export const wikipediaAnswer = z
  .object({ batchcomplete: z.boolean().optional(), query: z.object({ pages: z.array(page) }).optional() })
  // Nothing found is an answer that is complete without a `query`; an error has neither.
  .refine(({ batchcomplete, query }) => batchcomplete === true || query !== undefined, 'neither pages nor the end of the search');
