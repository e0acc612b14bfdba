import type { Json, Tool } from 'agent-machines';
import { calculator, getCurrentDatetime, searchDocuments, summarize } from 'agent-machines/tools';
import { getWeather, readFile, searchWikipedia, webSearch } from 'agent-machines/tools/node';

/** Look-ups that need nothing of each other, or each the one before it. */
export type Shape = 'independent' | 'dependent';

/** One call, the same for every variant. */
export interface LookUp {
  readonly query: string;
  /** What it finds: about 120 tokens, as one short result of a search. */
  readonly output: Json;
}

const places = ['Busan', 'Daegu', 'Incheon', 'Gwangju', 'Daejeon', 'Ulsan', 'Suwon', 'Jeju'];

/** The calls of a task; in a chain each one looks up the title that the last one has found. */
export const lookUps = (count: number, shape: Shape): readonly LookUp[] =>
  places.slice(0, count).map((place, index) => ({
    query: shape === 'independent' || index === 0 ? `${place} harbour opening year` : titleOf(index - 1),
    output: {
      query: place,
      results: [
        {
          title: titleOf(index),
          url: `https://example.com/harbours/${place.toLowerCase()}`,
          content:
            `The harbour of ${place} was opened to trade in ${1876 + index * 3} and rebuilt twice since. ` +
            'Its oldest pier is a protected monument; ferries leave from it every morning but Monday. ' +
            'Two thirds of what is landed there is fish, the rest timber and salt. A museum beside the lighthouse shows the plans of the builders.',
        },
      ],
    },
  }));

const titleOf = (index: number): string => `Harbour of ${places[index]}`;

export const question = (looked: readonly LookUp[], shape: Shape): string =>
  shape === 'independent'
    ? `When were these harbours opened, and which is the oldest: ${places.slice(0, looked.length).join(', ')}?`
    : `Begin with the harbour of ${places[0]}, look up what its page leads to, ${looked.length} in all, and say when each was opened.`;

export const answer = (looked: readonly LookUp[]): string =>
  `${looked.map((_, index) => `The harbour of ${places[index]} was opened in ${1876 + index * 3}`).join('. ')}. The oldest is that of ${places[0]} (https://example.com/harbours/${places[0]?.toLowerCase()}).`;

/** The eight tools of plan-execute's command line as they are described to a model; looking up finds what the task says. */
export function describedTools(looked: readonly LookUp[]): readonly Tool[] {
  const web = webSearch({ allowNet: true, apiKey: 'none' });
  return [
    calculator(),
    getCurrentDatetime(),
    readFile({ root: '.' }),
    searchDocuments({ retriever: { search: async () => [] } }),
    summarize(),
    getWeather({ allowNet: true, apiKey: 'none' }),
    searchWikipedia({ allowNet: true }),
    { ...web, execute: async ({ query }) => looked.find((one) => one.query === query)?.output ?? null },
  ];
}
