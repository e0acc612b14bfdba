import { type FieldStatistics, rarity } from '../../search/rank/field-index.ts';
import type { InvertedList } from '../../search/rank/inverted-lists.ts';
import type { IndexedContract } from './indexed-contract.ts';

/** A chapter describes an article only in general terms. */
const chapterWeight = 0.3;

export interface ArticleWordsOptions {
  readonly k1: number;
  readonly b: number;
  readonly titleWeight: number;
}

/** Words of whole articles, scored by Okapi BM25. */
export interface ArticleWords extends FieldStatistics {
  /** Adds the score of each article, from `offset` on. */
  score(
    terms: ReadonlyMap<string, number>,
    statistics: FieldStatistics,
    into: { readonly scores: Float64Array; readonly offset: number },
  ): void;
}

/**
 * Combines the passages of each article with its title and chapter, one word at a time, at the first question with this word.
 *
 * @param tokensOf the tokens that count as one word
 */
export function articleWords(
  contract: IndexedContract,
  { k1, b, titleWeight }: ArticleWordsOptions,
  tokensOf: (word: string) => readonly string[] = (word) => [word],
): ArticleWords {
  const { articles, articleOf, words, titles, labels, chapters } = contract;
  const ofPassage = (place: number): number => articleOf[place] ?? 0;
  const ofArticle = (article: number): number => article;
  // the passages contain the headings once, and a number in a question is not the number of an article
  const fields = [
    { lists: words, weight: 1, toArticle: ofPassage },
    { lists: titles, weight: titleWeight - 1, toArticle: ofArticle },
    { lists: labels, weight: -1, toArticle: ofArticle },
    { lists: chapters, weight: chapterWeight, toArticle: ofArticle },
  ];
  const lengths = new Float64Array(articles.length);
  for (const { lists, weight, toArticle } of fields) {
    for (const [i, length] of lists.lengths.entries()) lengths[toArticle(i)] = Math.max(0, (lengths[toArticle(i)] ?? 0) + weight * length);
  }
  const lists = new Map<string, InvertedList>();
  const listOf = (token: string): InvertedList => {
    const known = lists.get(token);
    if (known) return known;
    const counts = new Map<number, number>();
    for (const each of tokensOf(token)) {
      for (const { lists, weight, toArticle } of fields) {
        const list = lists.of(each);
        for (let i = 0; i < list.length; i += 2) {
          const article = toArticle(list[i] ?? 0);
          counts.set(article, (counts.get(article) ?? 0) + weight * (list[i + 1] ?? 0));
        }
      }
    }
    const list = [...counts].filter(([, count]) => count > 0).flat();
    if (list.length > 0) lists.set(token, list);
    return list;
  };
  return {
    size: articles.length,
    totalLength: lengths.reduce((sum, length) => sum + length, 0),
    frequency: (token) => listOf(token).length / 2,
    score(terms, statistics, { scores, offset }) {
      const meanLength = statistics.totalLength / statistics.size || 1;
      for (const [token, weight] of terms) {
        const list = listOf(token);
        if (list.length === 0) continue;
        const gain = weight * rarity(token, statistics);
        for (let i = 0; i < list.length; i += 2) {
          const article = list[i] ?? 0;
          const count = list[i + 1] ?? 0;
          const damping = k1 * (1 - b + (b * (lengths[article] ?? 0)) / meanLength);
          scores[offset + article] = (scores[offset + article] ?? 0) + (gain * count * (k1 + 1)) / (count + damping);
        }
      }
    },
  };
}
