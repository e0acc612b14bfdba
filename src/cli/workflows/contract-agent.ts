import { contractAgent, describeContractAgent } from 'agent-machines/machines/contract-agent';
import { parseContract } from '../../contracts/index.ts';
import { loadContract } from '../../contracts/node/load-contract.ts';
import { repairsOf } from '../model-flags.ts';
import { modelsOf } from '../model-of.ts';
import { contextOf, zoneOf } from '../settings.ts';
import type { LoadedWorkflow } from '../workflows.ts';

export const contractAgentWorkflow: LoadedWorkflow = {
  async create(settings) {
    const { contract, standard } = settings;
    const models = await modelsOf(settings);
    return contractAgent({
      contracts: [
        {
          contract: contract === undefined ? parseContract({ name: 'none', text: '' }) : await loadContract(contract), // to be drawn, it needs none
          ...(standard === undefined ? {} : { standard: await loadContract(standard) }),
        },
      ],
      ...contextOf(settings),
      ...zoneOf(settings),
      ...models,
      ...repairsOf(settings),
    });
  },
  promises: () => import('agent-machines/machines/contract-agent/invariants'),
  describe: describeContractAgent,
};
