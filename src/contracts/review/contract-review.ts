import type { ContractType } from './contract-types.ts';

/** Language of the sentences that a review writes itself. Passages stay in the language of the contract. */
export type ReviewLanguage = 'en' | 'ko';

/** A passage of the contract, verbatim but for line breaks; long ones are cut with `…`. */
export interface ReviewPassage {
  readonly partId: string;
  /** Label of the article with its paragraph: `제5조 ③`, `Article 5 5.2`. */
  readonly label: string;
  readonly text: string;
}

/** A party of the contract. */
export interface ReviewParty {
  /** The name that the contract uses for it: `Tenant`, `을`. Without one, its own name. */
  readonly role: string;
  /** The party's own name. Absent if the contract leaves it blank. */
  readonly name?: string;
}

/** Begin and end of the contract. */
export interface ReviewTerm {
  /** ISO date. */
  readonly start?: string;
  readonly end?: string;
  /** The computation of the end, if the contract does not state it as a date. */
  readonly rule?: string;
  readonly passage?: ReviewPassage;
}

/** An amount of money with its purpose. */
export interface ReviewAmount {
  /** The amount as written. */
  readonly text: string;
  /** Words of the contract beside it: `월 차임`, `The price`. */
  readonly purpose: string;
  readonly passage: ReviewPassage;
}

/** A point in time by which something must happen. */
export interface ReviewDeadline {
  /** The period or date as written: `within 30 days after the Effective Date`. */
  readonly what: string;
  /** The party that must act, if the sentence names one. */
  readonly who?: string;
  readonly passage: ReviewPassage;
  /** ISO date. Absent if it depends on an event, or on a date that the contract does not state. */
  readonly date?: string;
  /** The computation of the date, or the reason why there is none. */
  readonly rule: string;
  /** The date is a Saturday, a Sunday or a given holiday. */
  readonly note?: string;
}

/** The duties of one party. */
export interface ReviewDuties {
  /** Role of the party; `both` for all of them. Absent if the subject is not clear. */
  readonly who?: string;
  readonly passages: readonly ReviewPassage[];
}

/** A clause to look at. */
export interface ReviewFinding {
  /** Stable name, such as `automatic-renewal`; `model` for a finding of a model. */
  readonly kind: string;
  readonly title: string;
  readonly reason: string;
  /** Role of the burdened party, or `both`. Absent if the clause does not tell. */
  readonly burdens?: string;
  /** The burden seen from the party of `as`. Absent without `as`, or if `burdens` is. */
  readonly side?: 'against' | 'for' | 'both';
  /** `certain`: the wording itself says so. `look`: the wording suggests it. */
  readonly confidence: 'certain' | 'look';
  readonly passage: ReviewPassage;
  /** A model's explanation of a finding of the rules. */
  readonly explanation?: string;
  readonly from: 'rules' | 'model';
}

/** A usual point that the contract does not settle. */
export interface ReviewAbsence {
  readonly point: string;
  readonly title: string;
}

/** A difference from the standard contract that matters. */
export interface ReviewDifference {
  readonly kind: 'missing' | 'added' | 'changed';
  /** Label and title of the article. */
  readonly article: string;
  readonly what: string;
  readonly standard?: string;
  readonly user?: string;
}

/** The review of a contract, as plain data. */
export interface ContractReview {
  readonly document: string;
  readonly title: string;
  readonly language: ReviewLanguage;
  readonly type: ContractType;
  readonly typeTitle: string;
  /** The party whose side the review takes. */
  readonly as?: string;
  readonly today?: string;
  readonly parties: readonly ReviewParty[];
  readonly signed?: string;
  readonly effective?: string;
  readonly term: ReviewTerm;
  readonly money: readonly ReviewAmount[];
  /** By date; deadlines without a date come last. */
  readonly deadlines: readonly ReviewDeadline[];
  readonly duties: readonly ReviewDuties[];
  /** In text order; with `as`, findings against that party come first. */
  readonly findings: readonly ReviewFinding[];
  readonly absent: readonly ReviewAbsence[];
  /** Differences from the standard contract, if one was given. */
  readonly differences?: readonly ReviewDifference[];
  /** Limits of this review. */
  readonly notes: readonly string[];
}
