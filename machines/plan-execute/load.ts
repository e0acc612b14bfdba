import type { Tool } from 'agent-machines';
import type { LoadedEntry, WorkflowKit } from 'agent-machines/machines';
import { summarize } from 'agent-machines/tools';
import { describePlanExecute } from './describe.ts';
import { planExecute } from './plan-execute.ts';

const tools = async (kit: WorkflowKit): Promise<readonly Tool[]> => [
  ...(await kit.tools('local', 'documents')),
  summarize(),
  ...(await kit.tools('web')),
];

export const loadedEntry: LoadedEntry = {
  tools,
  async create(kit) {
    const { allowEgress = false } = kit.settings;
    const options = await kit.options();
    return planExecute({ tools: [...(await tools(kit)), ...(await kit.remoteTools())], allowEgress, ...options });
  },
  draft: () => planExecute(),
  small: () => planExecute({ maxReplans: 2 }),
  source: {
    imports: ["import { planExecute } from 'agent-machines/machines/plan-execute';"],
    expression: 'planExecute()',
  },
  describe: describePlanExecute,
  promises: () => import('./invariants.ts'),
};
