import { parseContract } from 'agent-machines/contracts';
import type { LoadedEntry } from 'agent-machines/machines';
import { contractAgent } from './contract-agent.ts';
import { describeContractAgent } from './describe.ts';

/** Drawing and exploring need no contract. */
const noContract = () => parseContract({ name: 'none', text: '' });

export const loadedEntry: LoadedEntry = {
  async create(kit) {
    const options = await kit.options();
    const given = await kit.contracts();
    const standard = await kit.standard();
    const [only] = given;
    // the only contract keeps its file name as id, as in runs of earlier versions
    const contracts = given.length > 1 ? given : [{ contract: only?.contract ?? noContract() }];
    return contractAgent({ contracts: contracts.map((each) => ({ ...each, ...(standard ? { standard } : {}) })), ...options });
  },
  draft: () => contractAgent({ contracts: [{ contract: noContract() }] }),
  small: () => contractAgent({ contracts: [{ contract: noContract() }], maxIterations: 3 }),
  source: {
    imports: [
      "import { parseContract } from 'agent-machines/contracts';",
      "import { contractAgent } from 'agent-machines/machines/contract-agent';",
    ],
    expression: "contractAgent({ contracts: [{ contract: parseContract({ name: 'none', text: '' }) }] })",
  },
  describe: describeContractAgent,
  promises: () => import('./invariants.ts'),
};
