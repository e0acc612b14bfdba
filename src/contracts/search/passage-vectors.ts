import type { Embedder } from '../../core/ports/embedder.ts';
import type { Article } from '../contract-document.ts';
import { articlePassages } from './article-passages.ts';

/** Vectors of the passages of articles. */
export interface PassageVectors {
  /** Returns the similarity of each article's nearest passage with a vector; at least 0. */
  nearness(vector: Float32Array): Float64Array;
  /** Returns the similarity of each passage of one article. */
  nearnessIn(article: number, vector: Float32Array): readonly number[];
}

/** Embeds the passages of articles. */
export async function passageVectors(
  articles: readonly Article[],
  { embedder, signal }: { readonly embedder: Embedder; readonly signal: AbortSignal | undefined },
): Promise<PassageVectors> {
  const starts: number[] = [];
  const texts: string[] = [];
  for (const article of articles) {
    starts.push(texts.length);
    texts.push(...articlePassages(article).map((text) => `${article.title}\n${text}`));
  }
  const vectors = await embedder.embed(texts, { purpose: 'document', ...(signal ? { signal } : {}) });
  const nearnessIn = (article: number, vector: Float32Array): readonly number[] =>
    vectors.slice(starts[article], starts[article + 1]).map((other) => product(vector, other));
  return {
    nearnessIn,
    nearness: (vector) => Float64Array.from(articles, (_, article) => Math.max(0, ...nearnessIn(article, vector))),
  };
}

const product = (one: Float32Array, other: Float32Array): number => one.reduce((sum, value, i) => sum + value * (other[i] ?? 0), 0);
