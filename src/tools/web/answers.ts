import * as z from 'zod';

// Schemas of the services' answers. Loaded on the first answer, because most runs call none of the services.

interface TavilyAnswer {
  readonly results: readonly { readonly title: string; readonly url: string; readonly content: string }[];
}

interface OpenWeatherAnswer {
  readonly name: string;
  readonly sys: { readonly country?: string | undefined };
  readonly weather: readonly { readonly description: string }[];
  readonly main: { readonly temp: number; readonly feels_like: number; readonly humidity: number };
  readonly wind: { readonly speed: number };
  readonly dt: number;
}

interface GoogleAnswer {
  readonly items: readonly { readonly title: string; readonly link: string; readonly snippet: string }[];
}

interface WikipediaAnswer {
  readonly query?:
    | {
        readonly pages?:
          | readonly { readonly index: number; readonly title: string; readonly fullurl: string; readonly extract: string }[]
          | undefined;
      }
    | undefined;
}

export const tavilyAnswer: z.ZodType<TavilyAnswer> = z.object({
  results: z.array(z.object({ title: z.string(), url: z.string(), content: z.string() })),
});

export const openWeatherAnswer: z.ZodType<OpenWeatherAnswer> = z.object({
  name: z.string(),
  // the open sea has no country
  sys: z.object({ country: z.string().optional() }),
  weather: z.array(z.object({ description: z.string() })).min(1),
  main: z.object({ temp: z.number(), feels_like: z.number(), humidity: z.number() }),
  wind: z.object({ speed: z.number() }),
  // seconds since 1970, within the range of Date
  dt: z.int().min(0).max(8_640_000_000_000),
});

export const googleAnswer: z.ZodType<GoogleAnswer> = z
  .object({
    searchInformation: z.object({}).optional(),
    items: z.array(z.object({ title: z.string(), link: z.string(), snippet: z.string().default('') })).default([]),
  })
  .refine(({ searchInformation, items }) => searchInformation !== undefined || items.length > 0, 'neither pages nor the end of the search');

const page = z.object({ index: z.int(), title: z.string(), fullurl: z.string(), extract: z.string() });

export const wikipediaAnswer: z.ZodType<WikipediaAnswer> = z
  .object({ batchcomplete: z.boolean().optional(), query: z.object({ pages: z.array(page) }).optional() })
  // A search without results is complete without a `query`; an error has neither.
  .refine(({ batchcomplete, query }) => batchcomplete === true || query !== undefined, 'neither pages nor the end of the search');
