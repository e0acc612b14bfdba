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

/** How surely a text has a concept, 0 to 1. Korean words are pairs of letters: half of them may be those of another word. */
export function conceptMatch({ own, related }: AskedConcept, tokens: ReadonlySet<string>): number {
  const shareOf = (parts: readonly string[]): number => parts.filter((part) => tokens.has(part)).length / parts.length;
  const match = Math.max(...own.map((parts) => shareOf(parts) ** 2));
  return match < relatedMatch && related.some((parts) => parts.every((part) => tokens.has(part))) ? relatedMatch : match;
}
