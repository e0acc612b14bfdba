import { WorkflowError } from 'agent-machines';
import type { ModelsByTask } from 'agent-machines/models';
import type { ContractLibrary, OpenContract, SeveralContracts } from './contract-library.ts';
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
  'contract_agent.ask_each_contract': true,
} satisfies Record<ContractAgentTask, true>;

export const contractAgentTasks: readonly string[] = Object.keys(tasks);

/** The contract of a run, or its contracts. */
export type ContractsOfRun = OpenContract | SeveralContracts;

export const areSeveral = (contracts: ContractsOfRun): contracts is SeveralContracts => 'catalogue' in contracts;

/**
 * Opens the contract of a run, or its contracts.
 * @throws {WorkflowError} `INPUT_INVALID` if a text has changed since the start of the run.
 */
export async function contractsOf(
  { contractId, contractIds, contractHash }: Pick<ContractAgentState, 'contractId' | 'contractIds' | 'contractHash'>,
  library: ContractLibrary,
): Promise<ContractsOfRun> {
  const [only = contractId, second] = contractIds;
  const contracts =
    second !== undefined
      ? await library.several(contractIds)
      : contractIds.length === 1
        ? await library.openNamed(only)
        : await library.open(contractId);
  if (contractHash === '' || contracts.hash === contractHash) return contracts;
  throw new WorkflowError({
    code: 'INPUT_INVALID',
    message: areSeveral(contracts)
      ? 'A contract has changed since this run began.'
      : `The contract ${JSON.stringify(only)} has changed since this run began.`,
    hint: 'Start the question again: the articles read so far are from another text.',
  });
}
