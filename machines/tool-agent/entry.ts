import type { WorkflowEntry } from 'agent-machines/machines';

export const toolAgentEntry: WorkflowEntry = {
  name: 'tool-agent',
  description: 'answers with tools: a model calls them until it has the answer',
  examples: ['17% of 2,450,000 plus 1200?', '지금 몇 시야? 그리고 12*34는?', 'What time is it?'],
  modelNodes: ['agent'],
  takesTools: true,
  talks: true,
  load: async () => (await import('./load.ts')).loadedEntry,
};
