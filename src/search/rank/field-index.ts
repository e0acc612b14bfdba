import { searchTokens } from '../../core/text/search-tokens.ts';
import type { Tokenizer } from '../../core/text/tokenizer.ts';

/** The text of each document in one field, with the weight of its words; 0 disables the field. */
interface Field {
  readonly texts: readonly string[];
  readonly weight: number;
}

export interface FieldIndexOptions {
  /** Number of documents; each field has a text for each of them. */
  readonly size: number;
  readonly fields: readonly Field[];
  /** Saturation: higher values give repeated words more weight; 0 gives them none. @default 1.2 */
  readonly k1?: number;
  /** Length normalization, from 0 to 1: higher values penalize long documents more. @default 0.75 */
  readonly b?: number;
  /** @default searchTokens */
  readonly tokenizer?: Tokenizer;
}

/** Word statistics for rarity, of one index or of several that are searched together. */
export interface FieldStatistics {
  readonly size: number;
  /** Total length of all documents, in weighted tokens. */
  readonly totalLength: number;
  /** Returns the number of documents with a token. */
  frequency(token: string): number;
}

/** An index of documents with one or more fields, scored by Okapi BM25. */
export interface FieldIndex extends FieldStatistics {
  /** Returns the indexes of the documents with a token. */
  documentsWith(token: string): Uint32Array;
  /** Returns the score of every document, 0 for one without any of the tokens. `terms` holds the weight of each token. */
  score(terms: ReadonlyMap<string, number>, statistics?: FieldStatistics): Float64Array;
}

/** Indexes documents in memory, once. */
export function createFieldIndex({ size, fields, k1 = 1.2, b = 0.75, tokenizer = searchTokens }: FieldIndexOptions): FieldIndex {
  const { terms, starts, documentOf, countOf, lengths } = postingsOf(size, fields, tokenizer);
  const rangeOf = (token: string): readonly [from: number, to: number] => {
    const term = terms.get(token);
    return term === undefined ? [0, 0] : [starts[term] ?? 0, starts[term + 1] ?? 0];
  };
  const index: FieldIndex = {
    size,
    totalLength: lengths.reduce((sum, length) => sum + length, 0),
    frequency(token) {
      const [from, to] = rangeOf(token);
      return to - from;
    },
    documentsWith(token) {
      return documentOf.subarray(...rangeOf(token));
    },
    score(weights, statistics = index) {
      const scores = new Float64Array(size);
      const meanLength = statistics.totalLength / statistics.size || 1;
      for (const [token, weight] of weights) {
        const [from, to] = rangeOf(token);
        if (from === to) continue;
        const gain = weight * rarity(token, statistics);
        for (let i = from; i < to; i++) {
          const document = documentOf[i] ?? 0;
          const count = countOf[i] ?? 0;
          const damping = k1 * (1 - b + (b * (lengths[document] ?? 0)) / meanLength);
          scores[document] = (scores[document] ?? 0) + (gain * count * (k1 + 1)) / (count + damping);
        }
      }
      return scores;
    },
  };
  return index;
}

/** Returns the rarity of a token; above 0 even for one in all documents. */
export function rarity(token: string, statistics: FieldStatistics): number {
  const frequency = statistics.frequency(token);
  return Math.log(1 + (statistics.size - frequency + 0.5) / (frequency + 0.5));
}

interface Postings {
  /** Number of each token. */
  readonly terms: ReadonlyMap<string, number>;
  /** Start of each term's entries in the next two arrays; they end at the next term's start. */
  readonly starts: Uint32Array;
  readonly documentOf: Uint32Array;
  readonly countOf: Float32Array;
  /** Length of each document, in weighted tokens. */
  readonly lengths: Float64Array;
}

function postingsOf(size: number, fields: readonly Field[], tokenizer: Tokenizer): Postings {
  const terms = new Map<string, number>();
  const countsOf: ReadonlyMap<number, number>[] = [];
  const lengths = new Float64Array(size);
  const frequencies: number[] = [];
  for (let document = 0; document < size; document++) {
    const counts = new Map<number, number>();
    for (const { texts, weight } of fields) {
      if (weight <= 0) continue;
      for (const token of tokenizer(texts[document] ?? '')) {
        let term = terms.get(token);
        if (term === undefined) {
          term = terms.size;
          terms.set(token, term);
          frequencies.push(0);
        }
        const before = counts.get(term);
        if (before === undefined) frequencies[term] = (frequencies[term] ?? 0) + 1;
        counts.set(term, (before ?? 0) + weight);
        lengths[document] = (lengths[document] ?? 0) + weight;
      }
    }
    countsOf.push(counts);
  }

  const starts = new Uint32Array(terms.size + 1);
  for (const [term, frequency] of frequencies.entries()) starts[term + 1] = (starts[term] ?? 0) + frequency;
  const total = starts[terms.size] ?? 0;
  const documentOf = new Uint32Array(total);
  const countOf = new Float32Array(total);
  const next = starts.slice();
  for (const [document, counts] of countsOf.entries()) {
    for (const [term, count] of counts) {
      const at = next[term] ?? 0;
      documentOf[at] = document;
      countOf[at] = count;
      next[term] = at + 1;
    }
  }
  return { terms, starts, documentOf, countOf, lengths };
}
