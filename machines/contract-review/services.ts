import type { ChatModel } from 'agent-machines';

/** Dependencies of the nodes. */
export interface ContractReviewServices {
  /** Absent: rules only. */
  readonly model?: ChatModel;
  readonly maxRepairs: number;
}
