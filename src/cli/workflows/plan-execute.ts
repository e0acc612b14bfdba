import { readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { describePlanExecute, planExecute } from 'agent-machines/machines/plan-execute';
import { folderDocuments } from '../../documents/index.ts';
import type { Retriever, Tool } from '../../index.ts';
import { bm25Retriever } from '../../search/index.ts';
import { searchDocuments, summarize } from '../../tools/index.ts';
import { folderOf } from '../folder-of.ts';
import { lazyRetriever } from '../lazy-retriever.ts';
import { modelsOf } from '../model-of.ts';
import { readDocuments } from '../read-documents.ts';
import { type Settings, zoneOf } from '../settings.ts';
import type { LoadedWorkflow } from '../workflows.ts';
import { localTools, webTools } from './tools.ts';

const tools = (settings: Settings): readonly Tool[] => [
  ...localTools(settings),
  searchDocuments({ retriever: retrieverOf(settings.docs) }),
  summarize(),
  ...webTools(settings),
];

/** Searches a folder, or the current folder's README and docs. The files are read when something is looked for. */
function retrieverOf(docs: string | undefined): Retriever | undefined {
  const root = docs === undefined ? resolve('.') : folderOf('--docs', docs);
  if (docs === undefined && !readdirSync(root).some((name) => /^readme/i.test(name) || name === 'docs')) return undefined;
  return lazyRetriever(async () =>
    bm25Retriever(docs === undefined ? (await folderDocuments({ root })).documents : await readDocuments(root)),
  );
}

export const planExecuteWorkflow: LoadedWorkflow = {
  tools,
  async create(settings) {
    const models = await modelsOf(settings);
    return planExecute({
      tools: tools(settings),
      allowEgress: settings.allowEgress ?? false,
      ...zoneOf(settings),
      ...models,
    });
  },
  promises: () => import('agent-machines/machines/plan-execute/invariants'),
  describe: describePlanExecute,
};
