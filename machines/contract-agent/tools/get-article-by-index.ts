import { type Article, type ContractDocument, findParts, labelText } from 'agent-machines/contracts';
import { isKorean } from 'agent-machines/search';
import { defineTool, objectSchema } from 'agent-machines/tools';
import type { OpenContract } from '../contract-library.ts';
import type { Finding } from '../state.ts';
import { access, maxOutputBytes } from './access.ts';
import { articlesByNumber, exhibitsByNumber, labelsOfNumber } from './article-labels.ts';
import {
  type ContractTool,
  type FoundArticle,
  findingsOf,
  nameOf,
  refOf,
  type ToolOutput,
  toFound,
  toFoundPart,
} from './found-articles.ts';
import { referencedBy } from './referenced-by.ts';

const numbers = { maxItems: 20, type: 'array', items: { type: 'string', minLength: 1, maxLength: 80 } } as const;

/** The tool `get_article_by_index`: articles and exhibits by their numbers. */
export const getArticleByIndex = (contract: OpenContract): ContractTool =>
  defineTool({
    name: 'get_article_by_index',
    description:
      'Reads articles of the contract, or paragraphs of them, by number. Numbers are text: "5", "10의2", "부칙 1", "제7조 제3항"; in English contracts "5", "5.1" or "Section 4.02(a)". ' +
      'Exhibits by name: "별지 1", "별표", "Exhibit A". Says which ones the contract does not have, and which are deleted.',
    access,
    errors: 'hidden', // hides errors of the store or the embedder
    maxOutputBytes,
    input: objectSchema({
      article_numbers: { ...numbers, description: 'Numbers of articles; empty when only exhibits are wanted.' },
      exhibit_numbers: { default: [], description: 'Names of exhibits.', ...numbers },
    }),
    execute: (args) => readByIndex(contract, args),
  });

/** Articles and exhibits by number, in the format of the tool. */
export interface ByIndex {
  readonly article_numbers: readonly string[];
  readonly exhibit_numbers: readonly string[];
}

export async function readByIndex({ user }: OpenContract, { article_numbers, exhibit_numbers }: ByIndex): Promise<ToolOutput> {
  const korean = isKorean(user.document.text);
  const asked = [
    ...article_numbers.flatMap((number) => partsOf(user.document, number, korean)),
    ...exhibit_numbers.flatMap((number) => {
      const known = exhibitsByNumber(user.document, number).map((article) => ({
        article,
        found: toFound('user', user.document, article),
      }));
      return known.length > 0 ? [{ name: number.trim(), known, above: undefined }] : partsOf(user.document, number, korean);
    }),
  ];
  const known = [...new Map(asked.flatMap((one) => one.known).map((one) => [one.found.id, one])).values()];
  const articles = known.map(({ found }) => found);
  const missing = asked
    .filter((one) => one.known.length === 0)
    .map(
      ({ name, above }): Finding => ({
        kind: 'not_found',
        subject: name,
        detail: above === undefined ? `The contract has no ${name}.` : `${above} has no ${name}.`,
      }),
    );
  const read = [...new Set(known.map(({ article }) => article))];
  return { articles, beside: referencedBy(user.document, read), findings: [...missing, ...findingsOf(articles)] };
}

interface Asked {
  readonly name: string;
  readonly known: readonly { readonly article: Article; readonly found: FoundArticle }[];
  /** Name of the existing article if only its paragraph is missing. */
  readonly above: string | undefined;
}

/** Returns the parts for each place that a number names. A range names several places. */
function partsOf(document: ContractDocument, number: string, korean: boolean): readonly Asked[] {
  const labels = labelsOfNumber(number);
  if (labels.length === 0) {
    const known = articlesByNumber(document, number).map((article) => ({ article, found: toFound('user', document, article) }));
    return [{ name: labelOf(number, korean), known, above: undefined }];
  }
  return labels.map((label) => {
    const { found, articles } = findParts(document, label);
    const known = found.map((part) => ({ article: part.article, found: toFoundPart(part) }));
    const isBare = /^\s*\d/u.test(number) && label.path.length === 0;
    const [above] = articles;
    return {
      name: isBare ? labelOf(number, korean) : labelText(label),
      known,
      above: above && label.path.length > 0 ? nameOf(refOf('user', document, above)) : undefined,
    };
  });
}

/** Formats a label like the contract: `10의2` becomes `제10조의2`, `Article 10`. */
function labelOf(number: string, korean: boolean): string {
  const [, addenda = '', main = '', branches = ''] = /^\s*(부칙\s*)?(\d[\d.]*)((?:의\d+)*)\s*$/u.exec(number) ?? [];
  if (main === '') return number.trim();
  return korean ? `${addenda}제${main}조${branches}` : `Article ${main}`;
}
