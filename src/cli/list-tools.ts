import { toSettings } from './flags.ts';
import { createOpenResources } from './open-resources.ts';
import type { Settings } from './settings.ts';
import { printTools } from './tables.ts';
import { allTools } from './workflows.ts';

/** Lists the tools, with the reasons why some are unavailable. */
export async function listTools(flags: Settings & { readonly json?: boolean }): Promise<void> {
  const settings = toSettings(flags);
  const opened = createOpenResources();
  try {
    const { remoteTools } = await import('./remote-tools.ts');
    printTools([...(await allTools(settings)), ...(await remoteTools(settings, opened))], flags.json ?? false);
  } finally {
    await opened.close();
  }
}
