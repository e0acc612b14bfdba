import type { Article, ContractDocument } from '../../src/contracts/contract-document.ts';
import { type ArticleIndexOptions, createArticleIndex } from '../../src/contracts/search/article-index.ts';
import { createFieldIndex } from '../../src/search/rank/field-index.ts';
import { hashedEmbedder } from '../../src/search/rank/hashed-embedder.ts';
import { bigrams } from '../contracts/plain-bm25.ts';
import { median } from '../engine/statistics.ts';
import { type Measures, measuresOf } from './evaluate-measures.ts';
import { type Evaluation, keyOf } from './evaluate-questions.ts';

/** A way of searching. */
export interface Configuration {
  readonly name: string;
  readonly role?: 'baseline' | 'default';
  /** Indexes the documents. */
  index(documents: readonly ContractDocument[]): Promise<SearchDocument>;
}

/** Articles of a document, best first. */
type SearchDocument = (query: string, document: string) => Promise<readonly Article[]>;

export interface Measured {
  /** Of each question, in their order. */
  readonly measures: readonly Measures[];
  readonly indexMs: number;
  /** The median of a question. */
  readonly queryMs: number;
}

const nothing = { words: 0, forms: 0, title: 0, paragraphs: 0, topics: 0, vectors: 0, label: 0 };

export const evaluationConfigurations: readonly Configuration[] = [
  { name: 'plain bigram BM25 (baseline)', role: 'baseline', index: async (documents) => plainBigrams(documents) },
  { name: 'fielded BM25', index: articles({ weights: { ...nothing, words: 1 }, relatedWeight: 0 }) },
  { name: 'fielded BM25, related words', index: articles({ weights: { ...nothing, words: 1 } }) },
  { name: 'vectors (hashed, lexical)', index: articles({ weights: { ...nothing, vectors: 1 }, embedder: hashedEmbedder() }) },
  { name: 'all signals, RRF', index: articles({ fusion: 'rrf' }) },
  { name: 'all signals, weighted, no related words', index: articles({ relatedWeight: 0 }) },
  { name: 'all signals, weighted, no table of topics', index: articles({ weights: { topics: 0 } }) },
  { name: 'all signals, weighted (default)', role: 'default', index: articles({}) },
];

export async function measureConfiguration({ index }: Configuration, { documents, questions }: Evaluation): Promise<Measured> {
  const begun = performance.now();
  const search = await index(documents);
  const indexMs = performance.now() - begun;
  const measures: Measures[] = [];
  const times: number[] = [];
  for (const { query, document, relevant } of questions) {
    const asked = performance.now();
    const found = await search(query, document);
    times.push(performance.now() - asked);
    measures.push(measuresOf([...new Set(found.map(keyOf))], relevant));
  }
  return { measures, indexMs, queryMs: median(times) };
}

function articles(options: ArticleIndexOptions): Configuration['index'] {
  return async (documents) => {
    // configurations share the lists of a document, and each should pay for its own
    const index = await createArticleIndex(
      documents.map((document) => ({ ...document })),
      options,
    );
    return async (query, document) => (await index.search(query, { limit: 50, documents: [document] })).map(({ article }) => article);
  };
}

/** The baseline, which must stay what it is: nothing of how we search is in it but the formula. */
function plainBigrams(documents: readonly ContractDocument[]): SearchDocument {
  const indexes = new Map(
    documents.map(({ name, articles }) => {
      const texts = articles.map(({ title, text }) => `${title} ${text}`);
      return [name, { articles, index: createFieldIndex({ size: texts.length, fields: [{ texts, weight: 1 }], tokenizer: bigrams }) }];
    }),
  );
  return async (query, document) => {
    const found = indexes.get(document);
    if (!found) return [];
    const scores = found.index.score(new Map(bigrams(query).map((token) => [token, 1])));
    return found.articles
      .map((article, i) => ({ article, score: scores[i] ?? 0 }))
      .filter(({ score }) => score > 0)
      .sort((a, b) => b.score - a.score)
      .map(({ article }) => article);
  };
}
