import { isKorean } from 'agent-machines/text';
import { defineTool } from 'agent-machines/tools';
import * as z from 'zod';
import type { OpenContract } from '../contract-library.ts';
import type { Finding } from '../state.ts';
import { articlesByNumber, exhibitsByNumber } from './article-labels.ts';
import { capabilities, maxOutputBytes } from './capabilities.ts';
import { type ContractTool, findingsOf, type ToolOutput, toFound } from './found-articles.ts';
import { referencedBy } from './referenced-by.ts';

const numbers = z.array(z.string().min(1).max(40)).max(20);

/** The tool `get_article_by_index`: articles and exhibits by their numbers. */
export const getArticleByIndex = ({ user }: OpenContract): ContractTool =>
  defineTool({
    name: 'get_article_by_index',
    description:
      'Reads articles of the contract by number. Numbers are text: "5", "10의2", "부칙 1"; in English contracts "5" or "5.1". ' +
      'Exhibits by name: "별지 1", "별표", "Exhibit A". Says which ones the contract does not have, and which are deleted.',
    effect: 'pure',
    capabilities,
    maxOutputBytes,
    input: z.strictObject({
      article_numbers: numbers.describe('Numbers of articles; empty when only exhibits are wanted.'),
      exhibit_numbers: numbers.default([]).describe('Names of exhibits.'),
    }),
    async execute({ article_numbers, exhibit_numbers }): Promise<ToolOutput> {
      const asked = [
        ...article_numbers.map((number) => ({ number, found: articlesByNumber(user.document, number) })),
        ...exhibit_numbers.map((number) => ({ number, found: exhibitsByNumber(user.document, number) })),
      ];
      const found = [...new Set(asked.flatMap((one) => one.found))];
      const articles = found.map((article) => toFound('user', article));
      const korean = isKorean(user.document.text);
      const missing = asked
        .filter((one) => one.found.length === 0)
        .map(({ number }) => labelOf(number, korean))
        .map((label): Finding => ({ kind: 'not_found', subject: label, detail: `The contract has no ${label}.` }));
      return { articles, beside: referencedBy(user.document, found), findings: [...missing, ...findingsOf(articles)] };
    },
  });

/** `10의2` as the contract would write it: `제10조의2`, `Article 10`. */
function labelOf(number: string, korean: boolean): string {
  const [, addenda = '', main = '', branches = ''] = /^\s*(부칙\s*)?(\d[\d.]*)((?:의\d+)*)\s*$/u.exec(number) ?? [];
  if (main === '') return number.trim();
  return korean ? `${addenda}제${main}조${branches}` : `Article ${main}`;
}
