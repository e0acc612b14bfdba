import { entries, type WorkflowEntry } from '../../machines/index.ts';
import { readConfigFile, withConfig } from './config-file.ts';
import type { Settings } from './settings.ts';

/** Merges the settings with the config file of the current folder. */
export async function withConfigFile(settings: Settings, workflow: WorkflowEntry): Promise<Settings> {
  const file = await readConfigFile(process.cwd());
  if (!file) return settings;
  const allNodes = entries.flatMap(({ modelNodes }) => modelNodes);
  return withConfig(settings, file, { env: process.env, nodes: workflow.modelNodes, allNodes });
}
