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

/** Vectors are expensive, and the finder and the index of articles need the same. */
const known = new WeakMap<readonly Article[], Map<Embedder, Promise<PassageVectors>>>();

/** Embeds the passages of articles, once for each embedder. */
export function passageVectors(articles: readonly Article[], options: EmbedOptions): Promise<PassageVectors> {
  // a call that may be aborted shares nothing with others
  if (options.signal) return embedPassages(articles, options);
  const byEmbedder = known.get(articles) ?? new Map<Embedder, Promise<PassageVectors>>();
  known.set(articles, byEmbedder);
  const before = byEmbedder.get(options.embedder);
  if (before) return before;
  const vectors = embedPassages(articles, options);
  byEmbedder.set(options.embedder, vectors);
  vectors.catch(() => byEmbedder.delete(options.embedder));
  return vectors;
}

interface EmbedOptions {
  readonly embedder: Embedder;
  readonly signal: AbortSignal | undefined;
}

async function embedPassages(articles: readonly Article[], { embedder, signal }: EmbedOptions): Promise<PassageVectors> {
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
