import { readConfigFile, withConfig } from './config-file.ts';
import type { Settings } from './settings.ts';
import { type CliWorkflow, workflows } from './workflows.ts';

/** Merges the settings with the config file of the current folder. */
export async function configured(settings: Settings, workflow: CliWorkflow): Promise<Settings> {
  const file = await readConfigFile(process.cwd());
  if (!file) return settings;
  const allNodes = workflows.flatMap(({ modelNodes }) => modelNodes);
  return withConfig(settings, file, { env: process.env, nodes: workflow.modelNodes, allNodes });
}
