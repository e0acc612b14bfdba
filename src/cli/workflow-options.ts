import type { OfflineAdvice } from '../models/index.ts';
import { adviseOffline } from './advise-offline.ts';
import { type ChosenModels, modelsOf } from './model-of.ts';
import type { Settings } from './settings.ts';

/** Options of every workflow. */
interface WorkflowOptions extends ChosenModels {
  readonly contextTokens?: number;
  readonly timeZone?: string;
  readonly maxRepairs?: number;
  readonly advice: OfflineAdvice;
}

/** Converts settings to options of a workflow, with its models. */
export async function workflowOptions(settings: Settings): Promise<WorkflowOptions> {
  const { contextTokens, timeZone, maxRepairs } = settings;
  return {
    ...(await modelsOf(settings)),
    ...(contextTokens === undefined ? {} : { contextTokens }),
    ...(timeZone === undefined ? {} : { timeZone }),
    ...(maxRepairs === undefined ? {} : { maxRepairs }),
    advice: adviseOffline,
  };
}
