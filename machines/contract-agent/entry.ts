import type { WorkflowEntry } from 'agent-machines/machines';

export const contractAgentEntry: WorkflowEntry = {
  name: 'contract-agent',
  description: 'answers questions about contracts (--contract FILE or FOLDER) from their articles',
  examples: ['지체상금률은?', '돈은 언제 줘야 돼?', '중간에 그만두면 어떻게 돼?'],
  modelNodes: [
    'scope_validator',
    'check_previous_context',
    'plan_next_action',
    'evaluate_sufficiency',
    'generate_response',
    'ask_each_contract',
  ],
  missing: ({ contract }) =>
    contract === undefined
      ? 'contract-agent needs a contract: --contract FILE or FOLDER (.txt, .md, .docx, .pdf, .hwpx, .odt, .rtf, .html or .json).'
      : undefined,
  filesHint: 'Set the contract with --contract FILE.',
  load: async () => (await import('./load.ts')).loadedEntry,
};
