import type { Guard } from 'agent-machines';
import type { ContractReviewState } from './state.ts';

/** A model is configured. */
const hasModel: Guard<ContractReviewState> = ({ hasModel }) => hasModel;

export const guards = { hasModel };
