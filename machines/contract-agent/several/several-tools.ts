import { defineTool, objectSchema } from 'agent-machines/tools';
import { listed, type OpenContract, type SeveralContracts } from '../contract-library.ts';
import { inContract } from '../state.ts';
import { access, maxOutputBytes } from '../tools/access.ts';
import { type ContractTool, type ToolOutput, toFound } from '../tools/found-articles.ts';
import { readByIndex } from '../tools/get-article-by-index.ts';
import { readByTitle } from '../tools/get-article-by-title.ts';
import { searchArticles, topicsSchema } from '../tools/hybrid-search.ts';
import { listOf } from '../tools/survey-contract.ts';
import { bestJudged, judgeEach } from './judge-each.ts';

/** Name of the call that asks each contract. It runs as a node, because it may call the model. */
export const askEachTool = 'ask_each_contract';

/** Number of names that a schema lists. */
const maxEnum = 40;
const perQuery = 5;

/** Returns the tools over several contracts: those of one contract with the parameter `contract`, and `ask_each_contract`. */
export function severalTools(contracts: SeveralContracts, { korean }: { readonly korean: boolean }): readonly ContractTool[] {
  const { names } = contracts;
  const named = {
    type: 'string',
    maxLength: 300,
    description: 'Name of the contract, as it is listed.',
    ...(names.length > maxEnum ? { minLength: 1 } : { enum: [...names] }),
  } as const;
  const inOne = async (contract: string, lookUp: (open: OpenContract) => Promise<ToolOutput>): Promise<ToolOutput> => {
    if (!names.includes(contract)) return unknownContract(contract, names);
    const { articles, beside, findings } = await lookUp(await contracts.open(contract));
    return {
      articles: inContract(articles, contract),
      beside: inContract(beside, contract),
      findings: findings.map((finding) => ({ ...finding, detail: `${contract}: ${finding.detail}` })),
    };
  };
  return [
    defineTool({
      ...common,
      name: 'hybrid_search',
      description:
        'Searches the contracts by wording. Without `contract`, reads the best passages of all contracts; with it, the best articles of that one. Give several wordings of one topic as its queries.',
      input: objectSchema({
        contract: { ...named, ...(names.length > maxEnum ? { minLength: 0 } : { enum: ['', ...names] }), default: '' },
        topics: topicsSchema,
      }),
      execute: ({ contract, topics }, { signal }) =>
        contract === ''
          ? searchAll(
              topics.map(({ queries }) => queries.join(' ')),
              contracts,
              signal,
            )
          : inOne(contract, (open) => searchArticles(open, { topics }, signal)),
    }),
    defineTool({
      ...common,
      name: 'get_article_by_index',
      description:
        'Reads articles of one contract, or paragraphs of them, by number: "5", "10의2", "제7조 제3항", "5.1", "Section 4.02(a)". Exhibits by name.',
      input: objectSchema({ contract: named, article_numbers: numbers, exhibit_numbers: { default: [], ...numbers } }),
      execute: ({ contract, ...args }) => inOne(contract, (open) => readByIndex(open, args)),
    }),
    defineTool({
      ...common,
      name: 'get_article_by_title',
      description: 'Reads articles of one contract by title.',
      input: objectSchema({
        contract: named,
        titles: { minItems: 1, maxItems: 10, type: 'array', items: { type: 'string', minLength: 1, maxLength: 100 } },
      }),
      execute: ({ contract, ...args }) => inOne(contract, (open) => readByTitle(open, args)),
    }),
    defineTool({
      ...common,
      name: 'survey_contract',
      description:
        'Lists something of one whole contract: its articles, the first sentence of each (summary), blank fields, periods and dates (deadlines), or the articles that refer to one (references, with its place).',
      input: objectSchema({
        contract: named,
        what: { type: 'string', enum: ['articles', 'summary', 'blanks', 'deadlines', 'references'] },
        place: { default: '', type: 'string', maxLength: 80 },
      }),
      execute: ({ contract, ...args }) => inOne(contract, (open) => listOf(open, args, korean)),
    }),
    defineTool({
      ...common,
      name: askEachTool,
      description:
        'Asks each of the contracts the same question, and answers with a table of contract, answer and passage. Use it alone, for questions about which, each, all or how many of the contracts. Write the question as for one contract.',
      input: objectSchema({ question: { type: 'string', minLength: 1, maxLength: 500 } }),
      execute: (): Promise<ToolOutput> => Promise.resolve(nothing),
    }),
  ];
}

const common = { access, errors: 'hidden', maxOutputBytes } as const;
const numbers = { maxItems: 20, type: 'array', items: { type: 'string', minLength: 1, maxLength: 80 } } as const;

const nothing: ToolOutput = { articles: [], beside: [], findings: [] };

const unknownContract = (contract: string, names: readonly string[]): ToolOutput => ({
  ...nothing,
  findings: [
    {
      kind: 'not_found',
      subject: contract,
      detail: `There is no contract ${JSON.stringify(contract)}. There is: ${listed(names)}.`,
    },
  ],
});

async function searchAll(queries: readonly string[], contracts: SeveralContracts, signal: AbortSignal): Promise<ToolOutput> {
  const outputs: ToolOutput[] = [];
  for (const query of queries) {
    const best = bestJudged(await judgeEach(query, contracts, signal)).slice(0, perQuery);
    const articles = await Promise.all(
      best.map(async ({ name, passages }) => {
        const { document } = (await contracts.open(name)).user;
        return inContract(
          [...new Set(passages.map(({ article }) => article))].slice(0, 2).map((article) => toFound('user', document, article)),
          name,
        );
      }),
    );
    outputs.push(
      best.length > 0
        ? { articles: articles.flat(), beside: [], findings: [] }
        : {
            ...nothing,
            findings: [{ kind: 'no_hit', subject: query, detail: `Nothing in the contracts is about ${JSON.stringify(query)}.` }],
          },
    );
  }
  return {
    articles: outputs.flatMap(({ articles }) => articles),
    beside: [],
    findings: outputs.flatMap(({ findings }) => findings),
  };
}
