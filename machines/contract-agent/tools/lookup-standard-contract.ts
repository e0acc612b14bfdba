import type { Article, ArticleChange, ContractComparison, ContractDocument } from 'agent-machines/contracts';
import { isKorean } from 'agent-machines/text';
import { defineTool } from 'agent-machines/tools';
import * as z from 'zod';
import type { OpenContract } from '../contract-library.ts';
import type { Finding } from '../state.ts';
import { articlesByNumber } from './article-labels.ts';
import { capabilities, maxOutputBytes } from './capabilities.ts';
import { type ContractTool, type FoundArticle, nameOf, refOf, type ToolOutput, toFound } from './found-articles.ts';

const topicArticles = 3;

/** The tool `lookup_standard_contract`: what the standard contract says instead, and what of it is missing or different. */
export const lookupStandardContract = ({ user, standard, comparison }: OpenContract): ContractTool =>
  defineTool({
    name: 'lookup_standard_contract',
    description:
      'Compares the contract with the standard contract. With user_article_numbers: the counterparts of these articles, and what differs. ' +
      'With a topic: what the standard contract says about it, and whether the contract has it. With neither: everything that is missing or differs.',
    effect: 'pure',
    capabilities,
    maxOutputBytes,
    input: z.strictObject({
      user_article_numbers: z
        .array(z.string().min(1).max(40))
        .max(20)
        .default([])
        .describe('Numbers of articles of the user\'s contract, for example "5".'),
      topic: z.string().max(200).default('').describe('What to look for in the standard contract.'),
    }),
    async execute({ user_article_numbers: numbers, topic }, { signal }): Promise<ToolOutput> {
      const compared = comparison();
      if (!standard || !compared) throw new Error('There is no standard contract.');
      if (numbers.length === 0 && topic.trim() === '')
        return { articles: [], beside: [], findings: overview(user.document, standard.document, compared) };
      const articles: FoundArticle[] = [];
      const findings: Finding[] = [];
      const add = (side: FoundArticle['side'], article: Article): void => {
        if (!articles.some((known) => known.side === side && known.id === article.id)) articles.push(toFound(side, article));
      };
      for (const number of numbers) {
        const asked = articlesByNumber(user.document, number);
        if (asked.length === 0) findings.push({ kind: 'not_found', subject: number, detail: `The contract has no article ${number}.` });
        for (const article of asked) {
          add('user', article);
          const pair = compared.pairs.find(({ userId }) => userId === article.id);
          const other = pair && articleOf(standard.document, pair.standardId);
          if (other) add('standard', other);
          findings.push(pair && other ? describePair(article, other, pair.changes) : addedFinding(article));
        }
      }
      if (topic.trim() !== '') {
        for (const { article } of await standard.index.search(topic, { limit: topicArticles, signal })) {
          add('standard', article);
          const pair = compared.pairs.find(({ standardId }) => standardId === article.id);
          const own = pair && articleOf(user.document, pair.userId);
          if (own) add('user', own);
          findings.push(pair && own ? describePair(own, article, pair.changes) : missingFinding(article));
        }
      }
      return { articles, beside: [], findings };
    },
  });

const articleOf = ({ articles }: ContractDocument, id: string): Article | undefined => articles.find((article) => article.id === id);

/** Everything that is missing or differs, by name: the texts would be too much. */
function overview(user: ContractDocument, standard: ContractDocument, { pairs, missing, added }: ContractComparison): readonly Finding[] {
  const changed = pairs
    .filter(({ difference }) => difference === 'changed')
    .flatMap(({ userId, standardId, changes }) => {
      const own = articleOf(user, userId);
      const other = articleOf(standard, standardId);
      return own && other ? [describePair(own, other, changes)] : [];
    });
  return [
    ...missing.flatMap(({ id }) => articleOf(standard, id) ?? []).map(missingFinding),
    ...changed,
    ...added.flatMap(({ id }) => articleOf(user, id) ?? []).map(addedFinding),
  ];
}

/** In the language of the article: it is quoted in answers. */
const inKorean = ({ label }: Article): boolean => isKorean(label);

function missingFinding(article: Article): Finding {
  const name = nameOf(refOf('standard', article));
  return {
    kind: 'missing',
    subject: article.label,
    detail: inKorean(article) ? `표준계약서의 ${name}` : `${name} of the standard contract`,
  };
}

const addedFinding = (article: Article): Finding => ({ kind: 'added', subject: article.label, detail: nameOf(refOf('user', article)) });

function describePair(own: Article, other: Article, changes: readonly ArticleChange[]): Finding {
  const korean = inKorean(own);
  const [name, otherName] = [nameOf(refOf('user', own)), nameOf(refOf('standard', other))];
  const pair = own.label === other.label ? name : `${name} (${korean ? '표준계약서' : 'standard'}: ${otherName})`;
  if (changes.length === 0) return { kind: 'same', subject: own.label, detail: pair };
  return { kind: 'differs', subject: own.label, detail: `${pair}: ${describeChanges(changes, korean)}` };
}

/** Titles and values in full; paragraphs by their marks: their texts stand in the articles. */
function describeChanges(changes: readonly ArticleChange[], korean: boolean): string {
  const words = korean
    ? { standard: '표준', here: '이 계약', missing: '표준에만 있음', added: '이 계약에만 있음', wording: '표현이 다름' }
    : { standard: 'standard', here: 'here', missing: 'only in the standard', added: 'only here', wording: 'other words' };
  const versus = (theirs: readonly string[], ours: readonly string[]): string =>
    `${words.standard} ${theirs.join(', ') || '–'} → ${words.here} ${ours.join(', ') || '–'}`;
  const marks = (kind: 'missing' | 'added'): string[] => {
    const labels = changes.flatMap((change) => (change.kind === kind ? [change.label] : []));
    return labels.length === 0 ? [] : [`${words[kind]}: ${labels.join(', ')}`];
  };
  return [
    ...changes.flatMap((change) => (change.kind === 'title' ? [versus([change.standard], [change.user])] : [])),
    ...changes.flatMap((change) => (change.kind === 'value' ? [versus(change.standard, change.user)] : [])),
    ...marks('missing'),
    ...marks('added'),
    ...(changes.some(({ kind }) => kind === 'wording') ? [words.wording] : []),
  ].join('; ');
}
