import type { Article, ContractDocument } from 'agent-machines/contracts';
import type { ArticleRef } from '../state.ts';
import { refOf } from './found-articles.ts';

/** Returns the articles that `from` refers to, without `from` itself, in the order of the document. */
export function articlesReferencedBy({ articles }: ContractDocument, from: readonly Article[]): readonly Article[] {
  const ids = new Set(
    from.flatMap(({ references }) => references.flatMap(({ articleId }) => (articleId === undefined ? [] : [articleId]))),
  );
  return articles.filter((article) => ids.has(article.id) && !from.includes(article));
}

export const referencedBy = (document: ContractDocument, from: readonly Article[]): readonly ArticleRef[] =>
  articlesReferencedBy(document, from).map((article) => refOf('user', document, article));
