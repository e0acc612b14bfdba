import type { Tool } from 'agent-machines';
import type { LoadedEntry, WorkflowKit } from 'agent-machines/machines';
import { calculator } from 'agent-machines/tools';
import { describeGuideAgent } from './describe.ts';
import { getTime, guideAgent } from './guide-agent.ts';
import { createKnowledgeBase } from './knowledge-base.ts';

/** Additional tools; the workflow has its own. */
const tools = async (kit: WorkflowKit): Promise<readonly Tool[]> => [calculator(), getTime(), ...(await kit.tools('google'))];

/** The samples are PDFs, which are slow to read. */
const noKnowledge = () => createKnowledgeBase([], []);

export const loadedEntry: LoadedEntry = {
  tools,
  async create(kit) {
    const { allowEgress = false } = kit.settings;
    const options = await kit.options();
    const { openKnowledge } = await import('./open-knowledge.ts'); // it reads files
    const knowledge = await openKnowledge(kit);
    const memory = await kit.memory();
    return guideAgent({ knowledge, tools: await tools(kit), allowEgress, ...(memory ? { memory } : {}), ...options });
  },
  draft: () => guideAgent({ knowledge: noKnowledge() }),
  small: () => guideAgent({ knowledge: noKnowledge(), maxToolCallsPerTask: 1 }),
  source: {
    imports: ["import { createKnowledgeBase, guideAgent } from 'agent-machines/machines/guide-agent';"],
    expression: 'guideAgent({ knowledge: createKnowledgeBase([], []) })',
  },
  describe: describeGuideAgent,
  promises: () => import('./invariants.ts'),
};
