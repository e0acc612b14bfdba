import type { HumanEvent } from 'agent-machines';
import { runAtTerminal } from './terminal.ts';
import { publishing } from './workflow.ts';

const workflow = publishing({
  write: async (topic, remarks) => [`About ${topic}.`, ...remarks].join(' '),
  publish: async (text) => {
    console.log(`published: ${text}`);
    return 'https://example.com/otters';
  },
});

await runAtTerminal(workflow, {
  input: { topic: 'otters' },
  words: process.argv[2],
  toEvent: (words): HumanEvent => (words === 'APPROVE' ? { type: 'APPROVE' } : { type: 'REVISE', remark: words }),
  help: 'npm start -- APPROVE, or npm start -- "what to change"',
  show: (address) => console.log(`done: ${address}`),
});
