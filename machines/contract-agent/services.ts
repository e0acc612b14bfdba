import { WorkflowError } from 'agent-machines';
import type { ModelsByTask } from 'agent-machines/models';
import type { ContractLibrary, OpenContract } from './contract-library.ts';
import type { ContractAgentRuleInputs } from './rule-inputs.ts';
import type { ContractAgentState } from './state.ts';

/** Dependencies of the nodes. */
export interface ContractAgentServices extends Pick<ModelsByTask<ContractAgentRuleInputs>, 'modelFor' | 'maxRepairs'> {
  readonly library: ContractLibrary;
  readonly concurrency: number;
}

/** Names of the tasks that a model answers. */
export type ContractAgentTask = keyof ContractAgentRuleInputs;

const tasks = {
  'contract_agent.scope_validator': true,
  'contract_agent.check_previous_context': true,
  'contract_agent.plan_next_action': true,
  'contract_agent.evaluate_sufficiency': true,
  'contract_agent.generate_response': true,
} satisfies Record<ContractAgentTask, true>;

export const contractAgentTasks: readonly string[] = Object.keys(tasks);

/**
 * Opens the contract of a run.
 * @throws {WorkflowError} `INPUT_INVALID` if the contract's text has changed since the start of the run.
 */
export async function contractOf({ contractId, contractHash }: ContractAgentState, library: ContractLibrary): Promise<OpenContract> {
  const contract = await library.open(contractId);
  if (contractHash === '' || contract.hash === contractHash) return contract;
  throw new WorkflowError({
    code: 'INPUT_INVALID',
    message: `The contract ${JSON.stringify(contractId)} has changed since this run began.`,
    hint: 'Start the question again: the articles read so far are from another text.',
  });
}
