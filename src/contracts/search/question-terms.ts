import { contentWords } from '../../core/text/content-words.ts';
import { searchTokens } from '../../core/text/search-tokens.ts';
import type { Tokenizer } from '../../core/text/tokenizer.ts';
import { relatedWords } from './related-words.ts';

export interface QuestionTermsOptions {
  /** @default searchTokens */
  readonly tokenizer?: Tokenizer;
  /** Weight of words that only ask or order, such as `어떻게` and `나요`. Not 0, because they may be the only hint. @default 0.3 */
  readonly otherWeight?: number;
  /** Weight of contract words with the same meaning as a word of the question; 0 adds none. @default 0.5 */
  readonly relatedWeight?: number;
}

/**
 * Returns the weighted tokens of a question about a contract: 1 for topical words, less for other words and for contract synonyms.
 *
 * @example questionTerms('돈은 언제 줘?') // 돈은 → 1, 언제 → 0.3, 대금 → 0.5, 지급 → 0.5, …
 */
export function questionTerms(question: string, options: QuestionTermsOptions = {}): ReadonlyMap<string, number> {
  const { tokenizer = searchTokens, otherWeight = 0.3, relatedWeight = 0.5 } = options;
  const terms = new Map<string, number>();
  const add = (tokens: readonly string[], weight: number): void => {
    if (weight <= 0) return;
    for (const token of tokens) terms.set(token, Math.max(terms.get(token) ?? 0, weight));
  };
  add(tokenizer(contentWords(question)), 1);
  add(tokenizer(question), otherWeight);
  for (const word of relatedWords(question)) add(tokenizer(word), relatedWeight);
  return terms;
}
