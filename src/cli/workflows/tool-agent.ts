import { describeToolAgent, toolAgent } from 'agent-machines/machines/tool-agent';
import type { Tool } from '../../index.ts';
import { remoteTools } from '../remote-tools.ts';
import type { Settings } from '../settings.ts';
import { workflowOptions } from '../workflow-options.ts';
import type { LoadedWorkflow } from '../workflows.ts';
import { documentSearch } from './document-search.ts';
import { localTools, webTools } from './tools.ts';

const tools = (settings: Settings): readonly Tool[] => [...localTools(settings), documentSearch(settings), ...webTools(settings)];

export const toolAgentWorkflow: LoadedWorkflow = {
  tools,
  async create(settings, opened) {
    const options = await workflowOptions(settings);
    return toolAgent({
      tools: [...tools(settings), ...(await remoteTools(settings, opened))],
      allowEgress: settings.allowEgress ?? false,
      ...options,
      ...(settings.instructions === undefined ? {} : { instructions: settings.instructions }),
    });
  },
  source: {
    imports: ["import { toolAgent } from 'agent-machines/machines/tool-agent';"],
    expression: 'toolAgent()',
    make: () => toolAgent(),
  },
  promises: () => import('agent-machines/machines/tool-agent/invariants'),
  describe: describeToolAgent,
};
