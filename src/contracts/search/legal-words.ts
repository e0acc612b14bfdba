import table from './legal-words.json' with { type: 'json' };

/** Everyday words, and the words of contracts for the same. Both are separated by single spaces. */
export interface LegalWords {
  /** Words of questions alone: stems that a word of two or more syllables begins with or contains; shorter ones must be the whole word. */
  readonly everyday: string;
  /** Words of contracts: each stands for the others too. */
  readonly legal: string;
}

/**
 * Contract language of no trade in particular. A row added to the table must be good for contracts in general, not for one question;
 * `npm run eval -- retrieval` measures its effect.
 */
export const legalWords: readonly LegalWords[] = Object.values(table).flat();
