import type { TypedTool } from 'agent-machines';
import { type Article, type ContractDocument, citableLabel, type FoundPart, wholeText } from 'agent-machines/contracts';
import { cutAtSentence, isKorean } from 'agent-machines/search';
import type { ArticleRef, ContractSide, Finding } from '../state.ts';

/** An article in a tool's output. */
export interface FoundArticle extends ArticleRef {
  readonly deleted: boolean;
  readonly text: string;
}

/** Output of every tool of this workflow. */
export interface ToolOutput {
  readonly articles: readonly FoundArticle[];
  /** Unread articles that the search returned alongside, or that the read ones refer to. */
  readonly beside: readonly ArticleRef[];
  readonly findings: readonly Finding[];
}

/** A tool of this workflow. */
export type ContractTool = TypedTool<string, unknown, ToolOutput>;

const maxArticleChars = 8_000;

export const refOf = (side: ContractSide, document: ContractDocument, article: Article): ArticleRef => ({
  side,
  id: article.id,
  label: citableLabel(document, article),
  title: article.title,
});

/** Converts an article to output: its text, or its heading with the articles below it. */
export const toFound = (side: ContractSide, document: ContractDocument, article: Article): FoundArticle => ({
  ...refOf(side, document, article),
  deleted: article.deleted,
  text: cutAtSentence(article.text.trim() === '' ? wholeText(document, article) : article.text, maxArticleChars),
});

/** Converts a part to output: a paragraph, or an article with everything below it. */
export const toFoundPart = ({ article, id, label, text }: FoundPart): FoundArticle => ({
  side: 'user',
  id,
  label,
  title: article.title,
  deleted: article.deleted,
  text: cutAtSentence(text, maxArticleChars),
});

/** Name of an article: `제5조(대금)`, `Article 5 (Term)`; of one of several contracts `lease 제5조(대금)`. */
export const nameOf = ({ contract, label, title }: Pick<ArticleRef, 'contract' | 'label' | 'title'>): string => {
  const place = title === '' || title === label ? label : isKorean(label) ? `${label}(${title})` : `${label} (${title})`;
  return contract === undefined ? place : `${contract} ${place}`;
};

/** Returns the findings about deleted articles and repeated labels. */
export function findingsOf(found: readonly FoundArticle[]): readonly Finding[] {
  const deleted = found
    .filter((article) => article.deleted)
    .map(
      (article): Finding => ({ kind: 'deleted', subject: article.label, detail: `${article.label} has been deleted from the contract.` }),
    );
  const repeated = [...new Set(found.map(({ label }) => label))]
    .filter((label) => found.filter((article) => article.label === label && article.side === 'user').length > 1)
    .map((label): Finding => ({ kind: 'repeated', subject: label, detail: `The contract has ${label} more than once.` }));
  return [...deleted, ...repeated];
}
