import { defineState, type ErrorInfo, toSafeError } from 'agent-machines';
import type { ContractReview, ProposedFinding, ReviewLanguage } from 'agent-machines/contracts';

/** A contract as text. */
export interface ContractText {
  /** Name of the source, such as `lease.md`. */
  readonly name: string;
  readonly text: string;
}

/** State of a run. */
export interface ContractReviewState {
  readonly contract: ContractText;
  readonly standard: ContractText | null;
  /** The party whose side the review takes, in the words of the caller. */
  readonly as: string | null;
  /** Language of the review's own sentences. */
  readonly language: ReviewLanguage | null;
  /** ISO date. */
  readonly today: string;
  readonly holidays: readonly string[] | null;
  /** True if the run was started with a model. */
  readonly hasModel: boolean;
  /** The review by rules; after `check_findings` with the findings of the model. */
  readonly review: ContractReview | null;
  /** Findings of the model that are not checked yet. */
  readonly proposed: readonly ProposedFinding[];
  /** Findings of the model that the contract supports. */
  readonly added: number;
  /** Findings of the model without a verbatim quote. */
  readonly dropped: number;
  readonly error: ErrorInfo | null;
}

/** Input of the machine. */
export type ContractReviewMachineInput = Pick<
  ContractReviewState,
  'contract' | 'standard' | 'as' | 'language' | 'today' | 'holidays' | 'hasModel'
>;

/** Output of a run. */
export interface ContractReviewOutput {
  /** Absent if the contract could not be reviewed. If only the model failed, it is the review by rules. */
  readonly review: ContractReview | null;
  /** True if a model has added its findings. */
  readonly byModel: boolean;
  readonly dropped: number;
  /** Set if the run was stopped. */
  readonly error: ErrorInfo | null;
}

export const state = defineState<ContractReviewState, ContractReviewMachineInput, ContractReviewOutput>({
  onError: (_state, error) => ({ error: toSafeError(error) }),
});

export const initialState = (input: ContractReviewMachineInput): ContractReviewState => ({
  ...input,
  review: null,
  proposed: [],
  added: 0,
  dropped: 0,
  error: null,
});

export const toOutput = ({ review, hasModel, dropped, error }: ContractReviewState): ContractReviewOutput => ({
  review,
  byModel: hasModel && error === null,
  dropped,
  error,
});
