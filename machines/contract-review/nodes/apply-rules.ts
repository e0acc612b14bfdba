import type { NodeHandler } from 'agent-machines';
import { parseContract, reviewContract } from 'agent-machines/contracts';
import type { ContractReviewState } from '../state.ts';

/** Reviews the contract by rules. Fails for a text that is no contract, and for a party that it does not have. */
export const applyRules =
  (): NodeHandler<ContractReviewState> =>
  async ({ contract, standard, as, language, today, holidays }) => ({
    review: reviewContract(parseContract(contract), {
      today,
      ...(as === null ? {} : { as }),
      ...(language === null ? {} : { language }),
      ...(holidays === null ? {} : { holidays }),
      ...(standard === null ? {} : { standard: parseContract(standard) }),
    }),
  });
