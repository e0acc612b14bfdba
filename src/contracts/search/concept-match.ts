import type { InvertedLists } from '../../search/rank/inverted-lists.ts';

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
export function conceptMatch({ own, related }: QuestionConcept, tokens: { has(token: string): boolean }): number {
  const shareOf = (parts: readonly string[]): number => parts.filter((part) => tokens.has(part)).length / parts.length;
  const match = Math.max(...own.map((parts) => shareOf(parts) ** 2));
  return match < relatedMatch && related.some((parts) => parts.every((part) => tokens.has(part))) ? relatedMatch : match;
}

/** Returns the match of each document with a concept, as `conceptMatch` does; `undefined` if no document matches. */
export function conceptMatches({ own, related }: QuestionConcept, lists: InvertedLists): Float64Array | undefined {
  let matches: Float64Array | undefined;
  const raise = (parts: readonly string[], worth: (share: number) => number): void => {
    const found = parts.map((part) => lists.of(part)).filter(({ length }) => length > 0);
    if (found.length === 0 || worth(found.length / parts.length) === 0) return;
    matches ??= new Float64Array(lists.lengths.length);
    const counts = new Map<number, number>();
    for (const list of found) for (let i = 0; i < list.length; i += 2) counts.set(list[i] ?? 0, (counts.get(list[i] ?? 0) ?? 0) + 1);
    for (const [place, count] of counts) matches[place] = Math.max(matches[place] ?? 0, worth(count / parts.length));
  };
  for (const parts of own) raise(parts, (share) => share ** 2);
  for (const parts of related) raise(parts, (share) => (share === 1 ? relatedMatch : 0));
  return matches;
}
