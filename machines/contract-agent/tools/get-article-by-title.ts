import { defineTool, objectSchema } from 'agent-machines/tools';
import type { OpenContract } from '../contract-library.ts';
import type { Finding } from '../state.ts';
import { access, maxOutputBytes } from './access.ts';
import { articlesByTitle } from './article-labels.ts';
import { type ContractTool, findingsOf, type ToolOutput, toFound } from './found-articles.ts';
import { referencedBy } from './referenced-by.ts';

/** The tool `get_article_by_title`: articles by their titles. */
export const getArticleByTitle = (contract: OpenContract): ContractTool =>
  defineTool({
    name: 'get_article_by_title',
    description:
      'Reads articles of the contract by title, for example "비밀유지" or "Termination". Spaces and brackets do not matter. Says which titles the contract does not have.',
    access,
    errors: 'hidden', // hides errors of the store or the embedder
    maxOutputBytes,
    input: objectSchema({
      titles: {
        minItems: 1,
        maxItems: 10,
        type: 'array',
        items: { type: 'string', minLength: 1, maxLength: 100 },
        description: 'Titles, or the main part of one.',
      },
    }),
    execute: (args) => readByTitle(contract, args),
  });

export async function readByTitle({ user }: OpenContract, { titles }: { readonly titles: readonly string[] }): Promise<ToolOutput> {
  const asked = titles.map((title) => ({ title, found: articlesByTitle(user.document, title) }));
  const found = [...new Set(asked.flatMap((one) => one.found))];
  const articles = found.map((article) => toFound('user', user.document, article));
  const missing = asked
    .filter((one) => one.found.length === 0)
    .map(
      ({ title }): Finding => ({
        kind: 'not_found',
        subject: title,
        detail: `The contract has no article titled ${JSON.stringify(title)}.`,
      }),
    );
  return { articles, beside: referencedBy(user.document, found), findings: [...missing, ...findingsOf(articles)] };
}
