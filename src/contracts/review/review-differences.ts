import type { ArticleChange } from '../compare/article-changes.ts';
import { compareContracts } from '../compare/compare-contracts.ts';
import type { ContractDocument } from '../contract-document.ts';
import type { ReviewDifference } from './contract-review.ts';

/** Changes of titles or of mere wording are left out. */
const matters = (change: ArticleChange): boolean => change.kind !== 'title' && change.kind !== 'wording';

/** Returns the differences from a standard contract that change what was agreed: absent articles first, then changes, then additions. */
export function reviewDifferences(user: ContractDocument, standard: ContractDocument): readonly ReviewDifference[] {
  const { pairs, missing, added } = compareContracts(user, standard);
  const names = new Map(user.articles.map(({ id, label, title }) => [id, nameOf({ label, title })]));
  const changed = pairs.flatMap(({ userId, changes }) =>
    changes.filter(matters).map((change) => ({ article: names.get(userId) ?? userId, ...describe(change), kind: 'changed' as const })),
  );
  return [
    ...missing.map((article) => ({ kind: 'missing' as const, article: nameOf(article), what: 'article' })),
    ...changed,
    ...added.map((article) => ({ kind: 'added' as const, article: nameOf(article), what: 'article' })),
  ];
}

const nameOf = ({ label, title }: { readonly label: string; readonly title: string }): string => [label, title].filter(Boolean).join(' ');

function describe(change: ArticleChange): Omit<ReviewDifference, 'kind' | 'article'> {
  switch (change.kind) {
    case 'value':
      return { what: change.type, standard: change.standard.join(', '), user: change.user.join(', ') };
    case 'material':
      return { what: change.topic, standard: change.standard.join(' | '), user: change.user.join(' | ') };
    case 'missing':
      return { what: 'paragraph', standard: `${change.label} ${change.text}`.trim() };
    case 'added':
      return { what: 'paragraph', user: `${change.label} ${change.text}`.trim() };
    default:
      return { what: change.kind };
  }
}
