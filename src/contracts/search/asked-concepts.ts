import { searchTokens } from '../../text/search-tokens.ts';
import type { Tokenizer } from '../../text/tokenizer.ts';
import { askedWords } from './asked-words.ts';
import { synonymsOf } from './synonyms.ts';
import { wordRarity } from './word-rarity.ts';

/** A word of a question, and what it may be called in a contract. */
export interface AskedConcept {
  readonly word: string;
  /** How telling it is: see `wordRarity`. */
  readonly rarity: number;
  /** The tokens of each of its forms. */
  readonly own: readonly (readonly string[])[];
  /** The tokens of each word that means the same. */
  readonly related: readonly (readonly string[])[];
}

/** How much another word counts that means the same. */
const relatedMatch = 0.6;

/** A question of more words than this is judged by its first ones. */
const maxConcepts = 40;
/** What a question is read by; one of 20,000 characters would be looked for in every passage, by every cue. */
export const maxQuestionChars = 1_000;

/** What a question is about, each word once; nothing for `How long is it?` */
export const askedConcepts = (question: string, tokenizer: Tokenizer = searchTokens): readonly AskedConcept[] => {
  const tokensOf = (word: string): readonly string[] => [...new Set(tokenizer(word))];
  return [...new Map(askedWords(question).map((word) => [word.forms.join(' '), word])).values()]
    .slice(0, maxConcepts)
    .map(({ forms }) => ({
      word: forms.at(-1) ?? '',
      rarity: Math.min(...forms.map(wordRarity)),
      own: forms.map(tokensOf).filter(({ length }) => length > 0),
      related: [...new Set(forms.flatMap(synonymsOf))].map(tokensOf),
    }))
    .filter(({ own }) => own.length > 0);
};

/** How surely a text has a concept, 0 to 1. Korean words are pairs of letters: half of them may be those of another word. */
export function conceptMatch({ own, related }: AskedConcept, tokens: ReadonlySet<string>): number {
  const shareOf = (parts: readonly string[]): number => parts.filter((part) => tokens.has(part)).length / parts.length;
  const match = Math.max(...own.map((parts) => shareOf(parts) ** 2));
  return match < relatedMatch && related.some((parts) => parts.every((part) => tokens.has(part))) ? relatedMatch : match;
}
