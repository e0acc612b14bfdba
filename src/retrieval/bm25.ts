import { WorkflowError } from '../errors.ts';
import { searchTokens } from '../util/search-tokens.ts';
import type { DocumentPassage } from './markdown-passages.ts';

/** How passages are scored. */
export interface Bm25Options {
  /** How much a repeated word still adds; 0 = nothing. @default 1.2 */
  readonly k1?: number;
  /** How much a long passage is held back, 0 to 1. @default 0.75 */
  readonly b?: number;
  /** How many times a word of the heading counts; 0 = headings are not searched. @default 2 */
  readonly headingWeight?: number;
}

/** A passage that was found. */
export interface Bm25Hit {
  /** Its place in the array that was indexed. */
  readonly index: number;
  /** Above 0; higher is better. */
  readonly score: number;
}

export interface Bm25Index {
  /** The best passages, best first, ties in document order: `limit` of them after the first `skip`. */
  search(query: string, limit: number, skip?: number): readonly Bm25Hit[];
}

/**
 * Indexes passages for Okapi BM25. Built once, in memory, never changed.
 *
 * @throws {WorkflowError} `OPTION_INVALID` for an option, `limit` or `skip` out of range.
 */
export function createBm25Index(passages: readonly Omit<DocumentPassage, 'source'>[], options: Bm25Options = {}): Bm25Index {
  const { k1 = 1.2, b = 0.75, headingWeight = 2 } = options;
  requireOption('k1', k1 >= 0 && Number.isFinite(k1), '0 or more');
  requireOption('b', b >= 0 && b <= 1, '0 to 1');
  requireOption('headingWeight', headingWeight >= 0 && Number.isFinite(headingWeight), '0 or more');
  const { terms, starts, passageOf, countOf, lengths } = postingsOf(passages, headingWeight);
  const meanLength = lengths.reduce((sum, length) => sum + length, 0) / passages.length || 1;

  return {
    search(query, limit, skip = 0) {
      requireOption('limit', Number.isSafeInteger(limit) && limit >= 1, 'a whole number from 1');
      requireOption('skip', Number.isSafeInteger(skip) && skip >= 0, 'a whole number from 0');
      const scores = new Map<number, number>();
      for (const token of new Set(searchTokens(query))) {
        const term = terms.get(token);
        if (term === undefined) continue;
        const from = starts[term] ?? 0;
        const to = starts[term + 1] ?? 0;
        const rarity = Math.log(1 + (passages.length - (to - from) + 0.5) / (to - from + 0.5));
        for (let i = from; i < to; i++) {
          const index = passageOf[i] ?? 0;
          const count = countOf[i] ?? 0;
          const damping = k1 * (1 - b + (b * (lengths[index] ?? 0)) / meanLength);
          scores.set(index, (scores.get(index) ?? 0) + (rarity * count * (k1 + 1)) / (count + damping));
        }
      }
      return [...scores]
        .map(([index, score]) => ({ index, score }))
        .sort((a, b) => b.score - a.score || a.index - b.index)
        .slice(skip, skip + limit);
    },
  };
}

interface Postings {
  /** Number of each token. */
  readonly terms: ReadonlyMap<string, number>;
  /** Where a term's entries start in the next two; those of the next term start where they end. */
  readonly starts: Uint32Array;
  readonly passageOf: Uint32Array;
  readonly countOf: Float32Array;
  /** Of each passage, in tokens, those of the heading with their weight. */
  readonly lengths: Float64Array;
}

function postingsOf(passages: readonly Omit<DocumentPassage, 'source'>[], headingWeight: number): Postings {
  const terms = new Map<string, number>();
  const countsOf: ReadonlyMap<number, number>[] = [];
  const lengths = new Float64Array(passages.length);
  const frequencies: number[] = [];
  for (const [passage, { heading, text }] of passages.entries()) {
    const counts = new Map<number, number>();
    const count = (source: string, weight: number): void => {
      for (const token of searchTokens(source)) {
        let term = terms.get(token);
        if (term === undefined) {
          term = terms.size;
          terms.set(token, term);
          frequencies.push(0);
        }
        const before = counts.get(term);
        if (before === undefined) frequencies[term] = (frequencies[term] ?? 0) + 1;
        counts.set(term, (before ?? 0) + weight);
        lengths[passage] = (lengths[passage] ?? 0) + weight;
      }
    };
    if (headingWeight > 0) count(heading, headingWeight);
    count(text, 1);
    countsOf.push(counts);
  }

  const starts = new Uint32Array(terms.size + 1);
  for (const [term, frequency] of frequencies.entries()) starts[term + 1] = (starts[term] ?? 0) + frequency;
  const total = starts[terms.size] ?? 0;
  const passageOf = new Uint32Array(total);
  const countOf = new Float32Array(total);
  const next = starts.slice();
  for (const [passage, counts] of countsOf.entries()) {
    for (const [term, count] of counts) {
      const at = next[term] ?? 0;
      passageOf[at] = passage;
      countOf[at] = count;
      next[term] = at + 1;
    }
  }
  return { terms, starts, passageOf, countOf, lengths };
}

function requireOption(name: string, ok: boolean, range: string): void {
  if (ok) return;
  throw new WorkflowError({
    code: 'OPTION_INVALID',
    message: `The option "${name}" of the search index is out of range.`,
    hint: `Give ${range}.`,
  });
}
