import type { Tool } from 'agent-machines';
import type { LoadedEntry, WorkflowKit } from 'agent-machines/machines';
import { chatAgent } from './chat-agent.ts';
import { describeChatAgent } from './describe.ts';

/** The workflow searches documents itself, so that tool is not included. */
const tools = (kit: WorkflowKit): Promise<readonly Tool[]> => kit.tools('local', 'web', 'python');

export const loadedEntry: LoadedEntry = {
  tools,
  async create(kit) {
    const { allowEgress = false, instructions } = kit.settings;
    const options = await kit.options();
    const retriever = await kit.documents();
    return chatAgent({
      tools: [...(await tools(kit)), ...(await kit.remoteTools())],
      allowEgress,
      ...(retriever ? { retriever } : {}),
      ...options,
      ...(instructions === undefined ? {} : { instructions }),
    });
  },
  draft: () => chatAgent(),
  small: () => chatAgent({ maxToolRounds: 2 }),
  source: {
    imports: ["import { chatAgent } from 'agent-machines/machines/chat-agent';"],
    expression: 'chatAgent()',
  },
  describe: describeChatAgent,
  promises: () => import('./invariants.ts'),
};
