import { WorkflowError } from '../../errors.ts';
import { type RedlinePart, redline } from '../../text/redline.ts';
import type { Article, ContractDocument } from '../contract-document.ts';
import { type ArticleChange, articleChanges } from './article-changes.ts';
import { bestAssignment } from './best-assignment.ts';
import { renamedParties } from './material-changes.ts';
import { similarity, type TokenVector, tokenVector, weighed } from './token-vector.ts';

/** A contract beside a standard contract, as plain data. */
export interface ContractComparison {
  /** Articles that belong together, in the order of the standard contract. */
  readonly pairs: readonly ArticlePair[];
  /** Articles of the standard contract that the user's lacks, or has as deleted. */
  readonly missing: readonly ArticleName[];
  /** Articles that only the user's contract has. */
  readonly added: readonly ArticleName[];
}

export interface ArticlePair {
  readonly userId: string;
  readonly standardId: string;
  /** How much their texts have in common: 0 to 1, to three places. */
  readonly similarity: number;
  /** `same`: title and words are the same; numbers of articles, spaces and punctuation may differ. */
  readonly difference: 'same' | 'changed';
  readonly changes: readonly ArticleChange[];
  /** It has another label than in the standard contract. */
  readonly renumbered?: true;
  /** It stands elsewhere among the articles that both have; those that only moved up or down with others do not. */
  readonly moved?: true;
  /** What of the standard's text was deleted, and what the user's has instead, word by word; absent when nothing differs. */
  readonly redline?: readonly RedlinePart[];
}

export interface ArticleName {
  readonly id: string;
  readonly label: string;
  readonly title: string;
}

const maxArticles = 1_000;

/**
 * Finds for the articles of a contract those of a standard contract that they stand for, by title and text, and by label where these
 * do not decide: an article that was inserted moves all numbers behind it. Body, addenda and exhibits are compared with their own
 * kind; deleted articles stand for nothing. Takes n² × m steps for n and m articles.
 *
 * @throws {WorkflowError} `DOCUMENT_INVALID` for a contract of more than 1,000 articles.
 * @example compareContracts(lease, standardLease).missing // [{ id: 'body/제7조', label: '제7조', title: '하자의 보수' }]
 */
export function compareContracts(user: ContractDocument, standard: ContractDocument): ContractComparison {
  const userArticles = articlesOf(user);
  const profiled = profiles([...userArticles, ...articlesOf(standard)]);
  const users = profiled.slice(0, userArticles.length);
  const standards = profiled.slice(users.length);
  const scores = standards.map((one) => users.map((other) => scoreOf(other, one)));
  const assigned = bestAssignment(scores, users.length);
  const labels = new Map<string, string>();
  for (const [index, at] of assigned.entries()) {
    const userId = at === undefined ? undefined : users[at]?.article.id;
    const label = standards[index]?.article.label;
    if (userId !== undefined && label !== undefined) labels.set(userId, label);
  }
  const moved = movedOf(assigned);
  const renamed = renamedParties(user.text, standard.text);
  const pairs: ArticlePair[] = [];
  const missing: ArticleName[] = [];
  for (const [index, one] of standards.entries()) {
    const at = assigned[index];
    const other = at === undefined ? undefined : users[at];
    if (!other) missing.push(nameOf(one.article));
    else pairs.push(pairOf(other, one, { labels, renamed, isMoved: moved.has(index) }));
  }
  const taken = new Set(assigned);
  const added = users.filter((_, index) => !taken.has(index)).map(({ article }) => nameOf(article));
  return { pairs, missing, added };
}

interface Profile {
  readonly article: Article;
  readonly text: TokenVector;
  /** The text's tokens by what they say. */
  readonly meaning: TokenVector;
  readonly title: TokenVector;
}

function articlesOf({ name, articles }: ContractDocument): readonly Article[] {
  if (articles.length <= maxArticles) return articles.filter(({ deleted }) => !deleted);
  throw new WorkflowError({
    code: 'DOCUMENT_INVALID',
    message: `"${name}" has more than ${maxArticles} articles.`,
    hint: 'Compare a part of it.',
  });
}

function profiles(articles: readonly Article[]): readonly Profile[] {
  const texts = articles.map(({ text }) => tokenVector(text));
  const meanings = weighed(texts);
  const titles = weighed(articles.map(({ title }) => tokenVector(title)));
  return articles.map((article, index) => {
    const text = texts[index] ?? tokenVector('');
    return { article, text, meaning: meanings[index] ?? text, title: titles[index] ?? text };
  });
}

/** 0 to 1, and 0 for two that do not belong together. */
function scoreOf(user: Profile, standard: Profile): number {
  if (user.article.part !== standard.article.part) return 0;
  const label = user.article.label === standard.article.label ? 1 : 0;
  const text = similarity(user.meaning, standard.meaning);
  const titled = user.title.total > 0 && standard.title.total > 0;
  const title = titled ? similarity(user.title, standard.title) : 0;
  return belongTogether(text, title) ? 0.5 * text + 0.4 * (titled ? title : text) + 0.1 * label : 0;
}

/**
 * The same title is enough, and so is half of the words. Words of law are alike everywhere, as are titles ("termination of the
 * contract", "amendment of the contract"): either alone says little, both together more.
 */
const belongTogether = (text: number, title: number): boolean =>
  title > 0.99 || text >= 0.4 || (title > 0 && text >= 0.1 && text + title / 2 >= 0.3);

/** The rows that stand out of the order of the others: as few as can be. */
function movedOf(assigned: readonly (number | undefined)[]): ReadonlySet<number> {
  const rows = assigned.flatMap((at, row) => (at === undefined ? [] : [{ at, row }]));
  // for each row how many at the most stay in order up to it, and the one before it there
  const best: { count: number; before: number }[] = [];
  for (const [index, { at }] of rows.entries()) {
    let own = { count: 1, before: -1 };
    for (let other = 0; other < index; other++) {
      const count = (best[other]?.count ?? 0) + 1;
      if ((rows[other]?.at ?? 0) < at && count > own.count) own = { count, before: other };
    }
    best.push(own);
  }
  const moved = new Set(rows.map(({ row }) => row));
  let last = best.reduce((most, { count }, index) => (count > (best[most]?.count ?? 0) ? index : most), 0);
  for (; last >= 0 && rows[last]; last = best[last]?.before ?? -1) moved.delete(rows[last]?.row ?? -1);
  return moved;
}

interface PairOptions {
  readonly labels: ReadonlyMap<string, string>;
  /** Parties that the other contract calls otherwise. */
  readonly renamed: ReadonlySet<string>;
  readonly isMoved: boolean;
}

function pairOf(user: Profile, standard: Profile, { labels, renamed, isMoved }: PairOptions): ArticlePair {
  const changes = articleChanges(
    { article: user.article, text: renumbered(user.article, labels) },
    { article: standard.article, text: standard.article.text },
    renamed,
  );
  return {
    userId: user.article.id,
    standardId: standard.article.id,
    similarity: Math.round(similarity(user.text, standard.text) * 1_000) / 1_000,
    difference: changes.length === 0 ? 'same' : 'changed',
    changes,
    ...(user.article.label === standard.article.label ? {} : { renumbered: true }),
    ...(isMoved ? { moved: true } : {}),
    ...(changes.length === 0 ? {} : { redline: redline(standard.article.text, user.article.text) }),
  };
}

/** The text with its references to articles as the standard contract numbers them. */
function renumbered({ text, references }: Article, labels: ReadonlyMap<string, string>): string {
  let result = '';
  let copied = 0;
  for (const { text: written, label, articleId, start } of [...references].sort((a, b) => a.start - b.start)) {
    const other = articleId === undefined ? undefined : labels.get(articleId);
    if (label === undefined || other === undefined || start < copied || !written.startsWith(label)) continue;
    result += text.slice(copied, start) + other;
    copied = start + label.length;
  }
  return result + text.slice(copied);
}

const nameOf = ({ id, label, title }: Article): ArticleName => ({ id, label, title });
