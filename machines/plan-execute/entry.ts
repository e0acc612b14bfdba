import type { WorkflowEntry } from 'agent-machines/machines';

export const planExecuteEntry: WorkflowEntry = {
  name: 'plan-execute',
  description: 'plans once, executes without a model, replans failed steps, answers',
  examples: [
    '123 * 456을 계산해줘',
    'docs에서 interrupt를 찾아 요약하고 7*6도 계산해줘',
    'What is (17 + 25) * 3, and what day is it today?',
  ],
  modelNodes: ['intent_classifier', 'planner', 'replanner', 'final_answer'],
  takesTools: true,
  load: async () => (await import('./load.ts')).loadedEntry,
};
