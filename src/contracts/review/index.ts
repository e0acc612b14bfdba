export { addFindings, type ProposedFinding, type ReviewWithFindings } from './add-findings.ts';
export { type FindingKind, findingKinds } from './clause-kinds.ts';
export type {
  ContractReview,
  ReviewAbsence,
  ReviewAmount,
  ReviewDeadline,
  ReviewDifference,
  ReviewDuties,
  ReviewFinding,
  ReviewLanguage,
  ReviewParty,
  ReviewPassage,
  ReviewTerm,
} from './contract-review.ts';
export type { ContractType } from './contract-types.ts';
export { type ReviewContractOptions, reviewContract } from './review-contract.ts';
export { type ToCalendarOptions, toCalendar } from './to-calendar.ts';
