import { WorkflowError } from '../../core/errors/errors.ts';
import { type RedlinePart, redline } from '../../core/text/redline.ts';
import type { Article, ContractDocument } from '../contract-document.ts';
import { type ArticleChange, articleChanges } from './article-changes.ts';
import { bestAssignment } from './best-assignment.ts';
import { renamedParties } from './material-changes.ts';
import { similarity, type TokenVector, tokenVector, weighed } from './token-vector.ts';

/** The comparison of a contract with a standard contract, as plain data. */
export interface ContractComparison {
  /** Matching articles, in the order of the standard contract. */
  readonly pairs: readonly ArticlePair[];
  /** Articles of the standard contract that are absent or deleted in the user's contract. */
  readonly missing: readonly ArticleName[];
  /** Articles that only the user's contract has. */
  readonly added: readonly ArticleName[];
}

export interface ArticlePair {
  readonly userId: string;
  readonly standardId: string;
  /** Similarity of the two texts, from 0 to 1, rounded to three decimal places. */
  readonly similarity: number;
  /** `same`: title and wording are equal. Article numbers, spaces and punctuation may differ. */
  readonly difference: 'same' | 'changed';
  readonly changes: readonly ArticleChange[];
  /** The label differs from the one in the standard contract. */
  readonly renumbered?: true;
  /** The article's position among the matching articles differs. Articles that only shift together with others do not count. */
  readonly moved?: true;
  /** Word-by-word changes from the standard's text to the user's: deletions and insertions. Absent when the texts are equal. */
  readonly redline?: readonly RedlinePart[];
}

export interface ArticleName {
  readonly id: string;
  readonly label: string;
  readonly title: string;
}

const maxArticles = 1_000;

/**
 * Matches the articles of a contract with those of a standard contract, by title and text. Labels only break ties, because one inserted
 * article shifts all later numbers. Body, addenda and exhibits are each compared with their own kind. Deleted articles match nothing. Takes
 * n² × m steps for n and m articles.
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
  /** The text's tokens, weighted by how rare they are. */
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

/** Returns a score from 0 to 1; 0 for two articles that do not match. */
function scoreOf(user: Profile, standard: Profile): number {
  if (user.article.part !== standard.article.part) return 0;
  const label = user.article.label === standard.article.label ? 1 : 0;
  const text = similarity(user.meaning, standard.meaning);
  const titled = user.title.total > 0 && standard.title.total > 0;
  const title = titled ? similarity(user.title, standard.title) : 0;
  return belongTogether(text, title) ? 0.5 * text + 0.4 * (titled ? title : text) + 0.1 * label : 0;
}

/**
 * True for the same title, or for texts that share 40 % of their weight. Legal wording and titles are alike in all contracts ("termination
 * of the contract", "amendment of the contract"). So a weaker match needs both text and title.
 */
const belongTogether = (text: number, title: number): boolean =>
  title > 0.99 || text >= 0.4 || (title > 0 && text >= 0.1 && text + title / 2 >= 0.3);

/** Returns the smallest set of rows that are out of order. */
function movedOf(assigned: readonly (number | undefined)[]): ReadonlySet<number> {
  const rows = assigned.flatMap((at, row) => (at === undefined ? [] : [{ at, row }]));
  // for each row: the length of the longest ordered sequence that ends there, and the previous row in it
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
  /** Party names that differ in the other contract. */
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

/** Returns the text with the standard contract's numbers in its references to articles. */
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
