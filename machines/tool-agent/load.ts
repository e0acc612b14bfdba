import type { Tool } from 'agent-machines';
import type { LoadedEntry, WorkflowKit } from 'agent-machines/machines';
import { describeToolAgent } from './describe.ts';
import { toolAgent } from './tool-agent.ts';

const tools = (kit: WorkflowKit): Promise<readonly Tool[]> => kit.tools('local', 'documents', 'web');

export const loadedEntry: LoadedEntry = {
  tools,
  async create(kit) {
    const { allowEgress = false, instructions } = kit.settings;
    const options = await kit.options();
    return toolAgent({
      tools: [...(await tools(kit)), ...(await kit.remoteTools())],
      allowEgress,
      ...options,
      ...(instructions === undefined ? {} : { instructions }),
    });
  },
  draft: () => toolAgent(),
  small: () => toolAgent({ maxSteps: 2 }),
  source: {
    imports: ["import { toolAgent } from 'agent-machines/machines/tool-agent';"],
    expression: 'toolAgent()',
  },
  describe: describeToolAgent,
  promises: () => import('./invariants.ts'),
};
