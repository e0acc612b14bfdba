import { searchTokens } from '../../core/text/search-tokens.ts';
import type { Tokenizer } from '../../core/text/tokenizer.ts';
import { InvertedLists } from '../../search/rank/inverted-lists.ts';
import type { Article, ContractDocument } from '../contract-document.ts';
import { withoutStruck } from '../parse/struck-text.ts';
import { type ContractPassage, contractPassages } from './contract-passages.ts';
import { searchedParts } from './searched-parts.ts';

/** A contract with the inverted lists of its words. Everything else is computed for a question, from these lists. */
export interface IndexedContract {
  readonly document: ContractDocument;
  readonly tokenizer: Tokenizer;
  readonly articles: readonly Article[];
  readonly passages: readonly ContractPassage[];
  /** Index of the article of each passage. */
  readonly articleOf: readonly number[];
  /** Words of the passages. Struck-through words settle nothing and are left out. */
  readonly words: InvertedLists;
  /** Words of the articles' titles, of their labels as written, and of their chapters. */
  readonly titles: InvertedLists;
  readonly labels: InvertedLists;
  readonly chapters: InvertedLists;
}

const indexed = new WeakMap<ContractDocument, IndexedContract>();

/** Indexes a contract. With the default tokenizer, the finder and the index of articles share the result. */
export function indexedContract(document: ContractDocument, tokenizer: Tokenizer = searchTokens): IndexedContract {
  const known = tokenizer === searchTokens ? indexed.get(document) : undefined;
  if (known) return known;
  const index = indexContract(document, tokenizer);
  if (tokenizer === searchTokens) indexed.set(document, index);
  return index;
}

function indexContract(document: ContractDocument, tokenizer: Tokenizer): IndexedContract {
  const articles = searchedParts(document);
  const passages = contractPassages(document);
  const placeOf = new Map(articles.map((article, place) => [article, place]));
  const titles = new InvertedLists(articles.length);
  const labels = new InvertedLists(articles.length);
  const chapters = new InvertedLists(articles.length);
  let chapter = { text: '', tokens: tokenizer('') };
  for (const [place, article] of articles.entries()) {
    titles.add(place, tokenizer(article.title));
    labels.add(place, tokenizer(article.written));
    // neighbours share their chapter
    if (article.chapter !== chapter.text) chapter = { text: article.chapter, tokens: tokenizer(article.chapter) };
    chapters.add(place, chapter.tokens);
  }
  const words = new InvertedLists(passages.length);
  for (const [place, { text }] of passages.entries()) words.add(place, tokenizer(withoutStruck(text)));
  const articleOf = passages.map(({ article }) => placeOf.get(article) ?? 0);
  return { document, tokenizer, articles, passages, articleOf, words, titles, labels, chapters };
}
