import type { WorkflowEntry } from 'agent-machines/machines';

export const chatAgentEntry: WorkflowEntry = {
  name: 'chat-agent',
  description: 'converses, searches documents (--docs DIR), uses tools, and remembers the conversation',
  examples: ['안녕, 나는 민지야', 'What can you do?', '128 * 46은 얼마야?'],
  modelNodes: ['router', 'memory', 'agent'],
  takesTools: true,
  talks: true,
  load: async () => (await import('./load.ts')).loadedEntry,
};
