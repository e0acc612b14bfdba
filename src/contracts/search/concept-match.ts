/** A word of a question with its contract synonyms. */
export interface QuestionConcept {
  readonly word: string;
  /** Rarity of the word; see `wordRarity`. */
  readonly rarity: number;
  /** Tokens of each form of the word. */
  readonly own: readonly (readonly string[])[];
  /** Tokens of each synonym. */
  readonly related: readonly (readonly string[])[];
}

const relatedMatch = 0.6;

/**
 * Returns the match of a text with a concept, from 0 to 1. The tokens of Korean words are letter pairs, and half of them may belong to
 * another word.
 */
export function conceptMatch({ own, related }: QuestionConcept, tokens: ReadonlySet<string>): number {
  const shareOf = (parts: readonly string[]): number => parts.filter((part) => tokens.has(part)).length / parts.length;
  const match = Math.max(...own.map((parts) => shareOf(parts) ** 2));
  return match < relatedMatch && related.some((parts) => parts.every((part) => tokens.has(part))) ? relatedMatch : match;
}
