import { contractAgent, describeContractAgent } from 'agent-machines/machines/contract-agent';
import { type ContractDocument, parseContract } from '../../contracts/index.ts';
import { loadContract } from '../../contracts/node/load-contract.ts';
import { escapeControls, paint } from '../terminal.ts';
import { workflowOptions } from '../workflow-options.ts';
import type { LoadedWorkflow } from '../workflows.ts';

/** Loads a contract from a file, and prints notices about how it was read on standard error. */
async function noticed(path: string): Promise<ContractDocument> {
  const contract = await loadContract(path);
  for (const { code, message } of contract.warnings) {
    if (code === 'DOCUMENT_NOTICE' || code === 'NO_ARTICLES')
      process.stderr.write(`${paint('yellow', '!')} ${escapeControls(`${path}: ${message}`)}\n`);
  }
  return contract;
}

export const contractAgentWorkflow: LoadedWorkflow = {
  async create(settings) {
    const { contract, standard } = settings;
    const options = await workflowOptions(settings);
    return contractAgent({
      contracts: [
        {
          // drawing needs no contract
          contract: contract === undefined ? parseContract({ name: 'none', text: '' }) : await noticed(contract),
          ...(standard === undefined ? {} : { standard: await noticed(standard) }),
        },
      ],
      ...options,
    });
  },
  source: {
    imports: [
      "import { parseContract } from 'agent-machines/contracts';",
      "import { contractAgent } from 'agent-machines/machines/contract-agent';",
    ],
    expression: "contractAgent({ contracts: [{ contract: parseContract({ name: 'none', text: '' }) }] })",
    make: () => contractAgent({ contracts: [{ contract: parseContract({ name: 'none', text: '' }) }] }),
  },
  promises: () => import('agent-machines/machines/contract-agent/invariants'),
  describe: describeContractAgent,
};
