import { createKnowledgeBase, describeGuideAgent, getTime, guideAgent } from 'agent-machines/machines/guide-agent';
import type { Tool } from '../../index.ts';
import { calculator } from '../../tools/index.ts';
import { googleSearch } from '../../tools/web/index.ts';
import { openKnowledge } from '../guide-knowledge.ts';
import { openMemory } from '../long-term-memory.ts';
import { type Settings, zoneOf } from '../settings.ts';
import { workflowOptions } from '../workflow-options.ts';
import type { LoadedWorkflow } from '../workflows.ts';
import { keyIn } from './tools.ts';

/** Additional tools; the workflow has its own. */
const tools = (settings: Settings): readonly Tool[] => {
  const { GOOGLE_CSE_ID: engineId } = process.env;
  return [
    calculator(),
    getTime(zoneOf(settings)),
    googleSearch({ allowNet: settings.allowNet ?? false, ...keyIn('GOOGLE_API_KEY'), ...(engineId ? { engineId } : {}) }),
  ];
};

export const guideAgentWorkflow: LoadedWorkflow = {
  tools,
  async create(settings, opened) {
    const { memory, store, storeUrl } = settings;
    const place = { ...(store === undefined ? {} : { store }), ...(storeUrl === undefined ? {} : { storeUrl }) };
    const options = await workflowOptions(settings);
    return guideAgent({
      knowledge: await openKnowledge(settings, opened),
      tools: tools(settings),
      allowEgress: settings.allowEgress ?? false,
      ...(memory === undefined ? {} : { memory: await openMemory({ path: memory, ...place }, opened) }),
      ...options,
    });
  },
  draft: () => guideAgent({ knowledge: createKnowledgeBase([], []) }), // its samples are PDFs, which are slow to read
  source: {
    imports: ["import { createKnowledgeBase, guideAgent } from 'agent-machines/machines/guide-agent';"],
    expression: 'guideAgent({ knowledge: createKnowledgeBase([], []) })',
    make: () => guideAgent({ knowledge: createKnowledgeBase([], []) }),
  },
  promises: () => import('agent-machines/machines/guide-agent/invariants'),
  describe: describeGuideAgent,
};
