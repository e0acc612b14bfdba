import { searchTokens } from '../text/search-tokens.ts';
import { cutAtSentence, splitSentences } from '../text/sentences.ts';

export interface BestSentencesOptions {
  /** How many of them. Default: all to the end of the text. */
  readonly maxSentences?: number;
  /** Longer, they are cut, at the end of a sentence where there is one. In UTF-16 units. */
  readonly maxChars: number;
}

/** A quotation: the sentence of a text that has most of the tokens asked for, and those after it. Empty when there is no sentence. */
export function bestSentences(
  text: string,
  asked: ReadonlySet<string>,
  { maxSentences = Number.POSITIVE_INFINITY, maxChars }: BestSentencesOptions,
): string {
  const sentences = splitSentences(text);
  const score = (sentence: string): number => searchTokens(sentence).filter((token) => asked.has(token)).length;
  const best = sentences.reduce((top, sentence, index) => (score(sentence) > score(sentences[top] ?? '') ? index : top), 0);
  return cutAtSentence(sentences.slice(best, best + maxSentences).join(' '), maxChars);
}
