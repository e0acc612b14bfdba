import { contentWords } from '../../text/query-words.ts';
import { searchTokens } from '../../text/search-tokens.ts';
import type { Tokenizer } from '../../text/tokenizer.ts';
import { relatedWords } from './related-words.ts';

export interface QueryTermsOptions {
  /** @default searchTokens */
  readonly tokenizer?: Tokenizer;
  /** How much the words count that only ask or order, `어떻게`, `나요`: not nothing, for in a contract they may be the only hint. @default 0.3 */
  readonly otherWeight?: number;
  /** How much a word of contracts counts that means what a word of the question means; 0 = none are added. @default 0.5 */
  readonly relatedWeight?: number;
}

/**
 * The tokens of a question about a contract, and how much each counts: 1 for what it is about, less for the rest of it and for what
 * contracts call the same.
 *
 * @example queryTerms('돈은 언제 줘?') // 돈은 → 1, 언제 → 0.3, 대금 → 0.5, 지급 → 0.5, …
 */
export function queryTerms(query: string, options: QueryTermsOptions = {}): ReadonlyMap<string, number> {
  const { tokenizer = searchTokens, otherWeight = 0.3, relatedWeight = 0.5 } = options;
  const terms = new Map<string, number>();
  const add = (tokens: readonly string[], weight: number): void => {
    if (weight <= 0) return;
    for (const token of tokens) terms.set(token, Math.max(terms.get(token) ?? 0, weight));
  };
  add(tokenizer(contentWords(query)), 1);
  add(tokenizer(query), otherWeight);
  for (const word of relatedWords(query)) add(tokenizer(word), relatedWeight);
  return terms;
}
