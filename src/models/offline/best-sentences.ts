import { searchTokens } from '../../core/text/search-tokens.ts';
import { cutAtSentence, splitSentences } from '../../core/text/sentences.ts';

export interface BestSentencesOptions {
  /** Maximum number of sentences. Default: all to the end of the text. */
  readonly maxSentences?: number;
  /** Maximum length in UTF-16 units. Longer quotations are cut, at the end of a sentence if possible. */
  readonly maxChars: number;
}

/** Returns a quotation: the sentence with most of the `asked` tokens, and the sentences after it. Empty if the text has no sentence. */
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
