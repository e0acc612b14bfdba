import { type NodeHandler, WorkflowError } from 'agent-machines';
import { askJson } from 'agent-machines/models';
import { sufficiencyPrompt, sufficiencySchema } from '../prompts.ts';
import { questionInput } from '../rule-inputs.ts';
import type { ContractAgentServices } from '../services.ts';
import type { ContractAgentState, Decision } from '../state.ts';

/** Decides whether the collected information is enough. One model call, none at the iteration limit. An unreadable reply counts as no. */
export const evaluateSufficiency =
  ({ modelFor, maxRepairs }: ContractAgentServices): NodeHandler<ContractAgentState> =>
  async (state, io) => {
    const iteration = state.iterationCount + 1;
    const decide = (decision: Omit<Decision, 'iteration'>): Partial<ContractAgentState> => {
      const { action, reasoning, missingInfo } = decision;
      io.emit({
        type: 'thinking',
        step: 'evaluation_result',
        content: { is_sufficient: action === 'finish', reasoning, missing_info: missingInfo },
      });
      return { iterationCount: iteration, decisionLog: [{ iteration, ...decision }], missingInfo };
    };
    if (iteration >= state.maxIterations) {
      return decide({
        action: 'finish',
        by: 'limit',
        reasoning: `The limit of ${state.maxIterations} iterations is reached.`,
        missingInfo: null,
      });
    }
    const task = 'contract_agent.evaluate_sufficiency';
    const request = { task, messages: sufficiencyPrompt(state), deterministic: true };
    try {
      const reply = await askJson(modelFor(task, questionInput(state)), request, { io, schema: sufficiencySchema, maxRepairs });
      const action = reply.is_sufficient ? 'finish' : 'continue';
      return decide({ action, by: 'model', reasoning: reply.reasoning, missingInfo: reply.is_sufficient ? null : reply.missing_info });
    } catch (error) {
      if (!WorkflowError.isInstance(error) || error.code !== 'MODEL_OUTPUT_INVALID') throw error;
      return decide({ action: 'continue', by: 'unreadable', reasoning: error.message, missingInfo: state.missingInfo });
    }
  };
