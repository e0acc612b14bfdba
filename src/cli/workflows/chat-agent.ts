import { chatAgent, describeChatAgent } from 'agent-machines/machines/chat-agent';
import type { Tool } from '../../index.ts';
import { pythonRepl } from '../../tools/index.ts';
import { montySandbox } from '../../tools/python/monty-sandbox.ts';
import { documentStore } from '../document-store.ts';
import { remoteTools } from '../remote-tools.ts';
import type { Settings } from '../settings.ts';
import { workflowOptions } from '../workflow-options.ts';
import type { LoadedWorkflow } from '../workflows.ts';
import { localTools, webTools } from './tools.ts';

/** The workflow searches documents itself, so that tool is not included. */
const tools = (settings: Settings): readonly Tool[] => [
  ...localTools(settings),
  ...webTools(settings),
  pythonRepl({ sandbox: settings.allowPython ? montySandbox() : undefined }),
];

export const chatAgentWorkflow: LoadedWorkflow = {
  tools,
  async create(settings, opened) {
    const options = await workflowOptions(settings);
    const retriever = documentStore(settings, opened);
    return chatAgent({
      tools: [...tools(settings), ...(await remoteTools(settings, opened))],
      allowEgress: settings.allowEgress ?? false,
      ...(retriever ? { retriever } : {}),
      ...options,
      ...(settings.instructions === undefined ? {} : { instructions: settings.instructions }),
    });
  },
  source: {
    imports: ["import { chatAgent } from 'agent-machines/machines/chat-agent';"],
    expression: 'chatAgent()',
    make: () => chatAgent(),
  },
  promises: () => import('agent-machines/machines/chat-agent/invariants'),
  describe: describeChatAgent,
};
