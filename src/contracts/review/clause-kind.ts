import type { ReviewLanguage } from './contract-review.ts';

/**
 * The side that a clause burdens. `subject`: the side that acts in the sentence. `other`: the side that does not. `who`: the side that the
 * pattern names. `not-who`: the one that it does not name. `silent`: the side that does not answer. `both`: all sides.
 */
type BurdenRule = 'subject' | 'other' | 'who' | 'not-who' | 'silent' | 'both';

/** Wording of a kind of clause. Patterns are sources of regular expressions; `{who}` stands for the name of any side. */
export interface ClauseRule {
  readonly match: string;
  /** The sentence must match this too. */
  readonly and?: string;
  /** Wording of the sentence that makes it harmless. */
  readonly unless?: string;
  /** Wording anywhere in the paragraph that makes it harmless. */
  readonly unlessNear?: string;
  readonly burdens: BurdenRule;
  /** Period of the sentence in days: `atLeast`, `atMost`. */
  readonly days?: { readonly atLeast?: number; readonly atMost?: number };
  /** Interest of the sentence, in percent a year, must be above this. */
  readonly interestAbove?: number;
  /** Default: `look`. */
  readonly confidence?: 'certain' | 'look';
}

type Wording = Readonly<Record<ReviewLanguage, string>>;

/** A kind of clause that deserves a look. */
export interface ClauseKind {
  readonly kind: string;
  readonly title: Wording;
  readonly reason: Wording;
  /** True if the clause is usual as soon as it binds each side: then it is reported only if one side alone has it. */
  readonly fairIfMutual?: true;
  readonly rules: Readonly<Record<ReviewLanguage, readonly ClauseRule[]>>;
}
