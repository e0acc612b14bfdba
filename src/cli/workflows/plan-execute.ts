import { describePlanExecute, planExecute } from 'agent-machines/machines/plan-execute';
import type { Tool } from '../../index.ts';
import { summarize } from '../../tools/index.ts';
import { repairsOf } from '../model-flags.ts';
import { modelsOf } from '../model-of.ts';
import { contextOf, type Settings, zoneOf } from '../settings.ts';
import type { LoadedWorkflow } from '../workflows.ts';
import { documentSearch } from './document-search.ts';
import { localTools, webTools } from './tools.ts';

const tools = (settings: Settings): readonly Tool[] => [
  ...localTools(settings),
  documentSearch(settings),
  summarize(),
  ...webTools(settings),
];

export const planExecuteWorkflow: LoadedWorkflow = {
  tools,
  async create(settings) {
    const models = await modelsOf(settings);
    return planExecute({
      tools: tools(settings),
      allowEgress: settings.allowEgress ?? false,
      ...contextOf(settings),
      ...zoneOf(settings),
      ...models,
      ...repairsOf(settings),
    });
  },
  promises: () => import('agent-machines/machines/plan-execute/invariants'),
  describe: describePlanExecute,
};
