import { searchTokens } from '../../core/text/search-tokens.ts';
import type { Tokenizer } from '../../core/text/tokenizer.ts';
import { InvertedLists } from './inverted-lists.ts';

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
  /** Returns the score of every document, 0 for one without any of the tokens. `terms` holds the weight of each token. */
  score(terms: ReadonlyMap<string, number>, statistics?: FieldStatistics): Float64Array;
}

/** Indexes documents in memory, once. */
export function createFieldIndex({ size, fields, k1 = 1.2, b = 0.75, tokenizer = searchTokens }: FieldIndexOptions): FieldIndex {
  const lists = new InvertedLists(size);
  for (let document = 0; document < size; document++) {
    for (const { texts, weight } of fields) if (weight > 0) lists.add(document, tokenizer(texts[document] ?? ''), weight);
  }
  const index: FieldIndex = {
    size,
    totalLength: lists.lengths.reduce((sum, length) => sum + length, 0),
    frequency: (token) => lists.of(token).length / 2,
    score(weights, statistics = index) {
      const scores = new Float64Array(size);
      const meanLength = statistics.totalLength / statistics.size || 1;
      for (const [token, weight] of weights) {
        const list = lists.of(token);
        if (list.length === 0) continue;
        const gain = weight * rarity(token, statistics);
        for (let i = 0; i < list.length; i += 2) {
          const document = list[i] ?? 0;
          const count = list[i + 1] ?? 0;
          const damping = k1 * (1 - b + (b * (lists.lengths[document] ?? 0)) / meanLength);
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
