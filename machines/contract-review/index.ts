export { type ContractReviewInput, type ContractReviewOptions, contractReview } from './contract-review.ts';
export type { ContractReviewMachineInput, ContractReviewOutput, ContractReviewState, ContractText } from './state.ts';
