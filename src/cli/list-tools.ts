import { toSettings } from './flags.ts';
import type { Settings } from './settings.ts';
import { printTools } from './tables.ts';
import { allTools } from './workflows.ts';

/** Lists the tools, and why some cannot be used. */
export const listTools = async (flags: Settings & { readonly json?: boolean }): Promise<void> =>
  printTools(await allTools(toSettings(flags)), flags.json ?? false);
