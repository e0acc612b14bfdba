import { type NodeHandler, WorkflowError } from 'agent-machines';
import { askJson } from 'agent-machines/models';
import { previousContextPrompt, previousContextSchema } from '../prompts.ts';
import { questionInput } from '../rule-inputs.ts';
import type { ContractAgentServices } from '../services.ts';
import type { ContractAgentState } from '../state.ts';

/** Decides whether the question needs the last turn. No model call without a last turn, or if rules have decided. */
export const checkPreviousContext =
  ({ modelFor, maxRepairs }: ContractAgentServices): NodeHandler<ContractAgentState> =>
  async (state, io) => {
    if (state.previousTurn.length === 0) return { needPreviousContext: false };
    if (state.needPreviousContext !== null) return {};
    const task = 'contract_agent.check_previous_context';
    const request = { task, messages: previousContextPrompt(state), deterministic: true };
    try {
      const reply = await askJson(modelFor(task, questionInput(state)), request, { io, schema: previousContextSchema, maxRepairs });
      return { needPreviousContext: reply.need_previous_context };
    } catch (error) {
      if (!WorkflowError.isInstance(error) || error.code !== 'MODEL_OUTPUT_INVALID') throw error;
      return { needPreviousContext: false }; // an unreadable reply counts as no
    }
  };
