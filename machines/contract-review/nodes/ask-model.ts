import { type NodeHandler, WorkflowError } from 'agent-machines';
import { askJson } from 'agent-machines/models';
import { findingsSchema, reviewPrompt } from '../prompts.ts';
import type { ContractReviewServices } from '../services.ts';
import type { ContractReviewState } from '../state.ts';

/** Asks the model for findings that the rules have missed. One model call, plus one per repair. */
export const askModel =
  ({ model, maxRepairs }: ContractReviewServices): NodeHandler<ContractReviewState> =>
  async (state, io) => {
    if (model === undefined)
      throw new WorkflowError({
        code: 'OPTION_INVALID',
        message: 'The run needs a model.',
        hint: 'Resume it with the model that it was started with.',
      });
    const request = { task: 'contract_review.ask_model', messages: reviewPrompt(state) };
    const { findings } = await askJson(model, request, { io, schema: findingsSchema, maxRepairs });
    return { proposed: findings };
  };
