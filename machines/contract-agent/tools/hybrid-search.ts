import { defineTool, objectSchema } from 'agent-machines/tools';
import type { OpenContract } from '../contract-library.ts';
import type { ArticleRef, Finding } from '../state.ts';
import { access, maxOutputBytes } from './access.ts';
import { type ContractTool, findingsOf, refOf, type ToolOutput, toFound } from './found-articles.ts';
import { articlesReferencedBy } from './referenced-by.ts';

/** Number of articles that are read per topic, and number of further articles that are only named. */
const perTopic = { read: 4, named: 4 };

export const topicsSchema = {
  minItems: 1,
  maxItems: 5,
  type: 'array',
  items: {
    type: 'object',
    properties: {
      topic_name: { type: 'string', minLength: 1, maxLength: 100 },
      queries: { minItems: 1, maxItems: 6, type: 'array', items: { type: 'string', minLength: 1, maxLength: 500 } },
    },
    required: ['topic_name', 'queries'],
    additionalProperties: false,
  },
} as const;

/** The tool `hybrid_search`: finds the articles about a topic. */
export const hybridSearch = (contract: OpenContract): ContractTool =>
  defineTool({
    name: 'hybrid_search',
    description:
      'Searches the contract by words and by likeness, and reads the best articles of each topic. Use it when no number and no title is known. ' +
      'Give several wordings of one topic as its queries, as a contract would put it: ["지체상금", "이행 지연 배상"].',
    access,
    errors: 'hidden', // hides errors of the store or the embedder
    maxOutputBytes,
    input: objectSchema({ topics: topicsSchema }),
    execute: (args, { signal }) => searchArticles(contract, args, signal),
  });

/** Topics with their wordings, in the format of the tool. */
export interface SearchTopics {
  readonly topics: readonly { readonly topic_name: string; readonly queries: readonly string[] }[];
}

export async function searchArticles({ user }: OpenContract, { topics }: SearchTopics, signal: AbortSignal): Promise<ToolOutput> {
  const hits = await Promise.all(
    topics.map(({ queries }) => user.index.search(queries, { limit: perTopic.read + perTopic.named, signal })),
  );
  const read = [...new Set(hits.flatMap((found) => found.slice(0, perTopic.read)).map(({ article }) => article))];
  const named = new Set(hits.flatMap((found) => found.slice(perTopic.read)).map(({ article }) => article));
  for (const article of articlesReferencedBy(user.document, read)) named.add(article);
  const articles = read.map((article) => toFound('user', user.document, article));
  const beside: ArticleRef[] = [...named]
    .filter((article) => !read.includes(article))
    .map((article) => refOf('user', user.document, article));
  const empty = topics
    .filter((_, index) => hits[index]?.length === 0)
    .map(
      ({ topic_name }): Finding => ({
        kind: 'no_hit',
        subject: topic_name,
        detail: `Nothing in the contract is about ${JSON.stringify(topic_name)}.`,
      }),
    );
  return { articles, beside, findings: [...empty, ...findingsOf(articles)] };
}
