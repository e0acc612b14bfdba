import table from './legal-words.json' with { type: 'json' };

/** Everyday words with the contract words of the same meaning. Single spaces separate the words. */
export interface LegalWords {
  /**
   * Words that occur only in questions, as stems. A word of two or more syllables matches if it begins with or contains one; a shorter stem
   * must be the whole word.
   */
  readonly everyday: string;
  /** Contract words; each also stands for the others. */
  readonly legal: string;
}

/**
 * Contract language of no particular trade. A new row must suit contracts in general, not one question. `npm run eval -- retrieval`
 * measures its effect.
 */
export const legalWords: readonly LegalWords[] = Object.values(table).flat();
