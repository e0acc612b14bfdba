import { describeToolAgent, toolAgent } from 'agent-machines/machines/tool-agent';
import type { Tool } from '../../index.ts';
import { repairsOf } from '../model-flags.ts';
import { modelsOf } from '../model-of.ts';
import { contextOf, type Settings, zoneOf } from '../settings.ts';
import type { LoadedWorkflow } from '../workflows.ts';
import { documentSearch } from './document-search.ts';
import { localTools, webTools } from './tools.ts';

const tools = (settings: Settings): readonly Tool[] => [...localTools(settings), documentSearch(settings), ...webTools(settings)];

export const toolAgentWorkflow: LoadedWorkflow = {
  tools,
  async create(settings) {
    const models = await modelsOf(settings);
    return toolAgent({
      tools: tools(settings),
      allowEgress: settings.allowEgress ?? false,
      ...contextOf(settings),
      ...zoneOf(settings),
      ...models,
      ...repairsOf(settings),
    });
  },
  promises: () => import('agent-machines/machines/tool-agent/invariants'),
  describe: describeToolAgent,
};
