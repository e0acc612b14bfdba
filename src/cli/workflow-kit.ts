import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { WorkflowKit } from '../../machines/index.ts';
import { adviseOffline } from './advise-offline.ts';
import { folderOf } from './folder-of.ts';
import { modelsOf } from './model-of.ts';
import type { OpenResources } from './open-resources.ts';
import { readyTools } from './ready-tools.ts';
import type { Settings } from './settings.ts';

/**
 * Provides the parts of workflows for settings of the command line. Large modules are imported on demand.
 * @param opened Resources to close when the workflow is no longer needed.
 */
export const createWorkflowKit = (settings: Settings, opened: OpenResources): WorkflowKit => ({
  settings,
  async options() {
    const { contextTokens, timeZone, maxRepairs } = settings;
    return {
      ...(await modelsOf(settings)),
      ...(contextTokens === undefined ? {} : { contextTokens }),
      ...(timeZone === undefined ? {} : { timeZone }),
      ...(maxRepairs === undefined ? {} : { maxRepairs }),
      advice: adviseOffline,
    };
  },
  tools: async (...groups) => (await Promise.all(groups.map((group) => readyTools[group](settings)))).flat(),
  remoteTools: async () => (await import('./remote-tools.ts')).remoteTools(settings, opened),
  documents: async () => (await import('./document-store.ts')).documentStore(settings, opened),
  async contracts() {
    const { contract } = settings;
    if (contract === undefined) return [];
    return (await import('./load-contracts.ts')).loadContracts(typeof contract === 'string' ? [contract] : contract);
  },
  async standard() {
    const { standard } = settings;
    return standard === undefined ? undefined : (await import('./load-with-notices.ts')).loadWithNotices(standard);
  },
  async memory() {
    const { memory: path, store, storeUrl } = settings;
    if (path === undefined) return undefined;
    const place = { ...(store === undefined ? {} : { store }), ...(storeUrl === undefined ? {} : { storeUrl }) };
    return (await import('./long-term-memory.ts')).openMemory({ path, ...place }, opened);
  },
  files() {
    const { docs } = settings;
    return docs === undefined
      ? undefined
      : readdirSync(folderOf('--docs', docs))
          .sort()
          .map((name) => join(docs, name));
  },
  ...(settings.store === 'chroma' && {
    index: async (name, passages) => (await import('./passage-index.ts')).passageIndex(name, passages, settings.storeUrl, opened),
  }),
});
