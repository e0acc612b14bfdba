import { searchTokens } from '../../core/text/search-tokens.ts';
import { checkInteger } from '../../core/util/check-integer.ts';
import { optionInvalid } from '../../core/util/check-options.ts';
import { createFieldIndex } from './field-index.ts';
import type { DocumentPassage } from './markdown-passages.ts';

/** Scoring of passages. */
export interface Bm25Options {
  /** Saturation: higher values give repeated words more weight; 0 gives them none. @default 1.2 */
  readonly k1?: number;
  /** Length normalization, from 0 to 1: higher values penalize long passages more. @default 0.75 */
  readonly b?: number;
  /** Weight of a heading word, relative to a word of the text; 0 disables headings. @default 2 */
  readonly headingWeight?: number;
}

/** A hit of a search. */
export interface Bm25Hit {
  /** Index in the array of passages. */
  readonly index: number;
  /** Relevance above 0; higher is better. */
  readonly score: number;
}

export interface Bm25Index {
  /** Returns the best passages, best first, ties in document order: `limit` of them after the first `skip`. */
  search(query: string, limit: number, skip?: number): readonly Bm25Hit[];
}

/**
 * Indexes passages for Okapi BM25. The index is in memory and immutable.
 *
 * @throws {WorkflowError} `OPTION_INVALID` for an option, `limit` or `skip` out of range.
 */
export function createBm25Index(passages: readonly Omit<DocumentPassage, 'source'>[], options: Bm25Options = {}): Bm25Index {
  const { k1 = 1.2, b = 0.75, headingWeight = 2 } = options;
  requireOption('k1', k1 >= 0 && Number.isFinite(k1), '0 or more');
  requireOption('b', b >= 0 && b <= 1, '0 to 1');
  requireOption('headingWeight', headingWeight >= 0 && Number.isFinite(headingWeight), '0 or more');
  const fields = [
    { texts: passages.map(({ heading }) => heading), weight: headingWeight },
    { texts: passages.map(({ text }) => text), weight: 1 },
  ];
  const fieldIndex = createFieldIndex({ size: passages.length, fields, k1, b });

  return {
    search(query, limit, skip = 0) {
      checkInteger('limit', limit, { min: 1 });
      checkInteger('skip', skip, { min: 0 });
      const terms = new Map(searchTokens(query).map((token) => [token, 1]));
      return [...fieldIndex.score(terms)]
        .map((score, index) => ({ index, score }))
        .filter(({ score }) => score > 0)
        .sort((a, b) => b.score - a.score || a.index - b.index)
        .slice(skip, skip + limit);
    },
  };
}

function requireOption(name: string, ok: boolean, range: string): void {
  if (ok) return;
  throw optionInvalid(`The option "${name}" of the search index is out of range.`, `Use ${range}.`);
}
