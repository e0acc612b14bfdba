import { describePlanExecute, planExecute } from 'agent-machines/machines/plan-execute';
import type { Tool } from '../../index.ts';
import { summarize } from '../../tools/index.ts';
import { remoteTools } from '../remote-tools.ts';
import type { Settings } from '../settings.ts';
import { workflowOptions } from '../workflow-options.ts';
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
  async create(settings, opened) {
    const options = await workflowOptions(settings);
    return planExecute({
      tools: [...tools(settings), ...(await remoteTools(settings, opened))],
      allowEgress: settings.allowEgress ?? false,
      ...options,
    });
  },
  source: {
    imports: ["import { planExecute } from 'agent-machines/machines/plan-execute';"],
    expression: 'planExecute()',
    make: () => planExecute(),
  },
  promises: () => import('agent-machines/machines/plan-execute/invariants'),
  describe: describePlanExecute,
};
