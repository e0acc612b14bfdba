import { loadDocument } from 'agent-machines/documents';
import catalogue from './examples/ai-services.json' with { type: 'json' };
import { createKnowledgeBase, type KnowledgeBase } from './knowledge-base.ts';

/**
 * Loads what is shipped to try guide-agent on: a catalogue of fictional AI services, and two PDFs about trends.
 *
 * Your own: `createKnowledgeBase(catalogue, [await loadDocument('trends.pdf')])`.
 * @throws {WorkflowError} What `loadDocument` throws.
 * @example const workflow = guideAgent({ knowledge: await exampleKnowledge() });
 */
export async function exampleKnowledge(): Promise<KnowledgeBase> {
  const names = ['trends-video-2026.pdf', 'trends-work-2026.pdf'];
  return createKnowledgeBase(
    catalogue,
    await Promise.all(names.map((name) => loadDocument(new URL(`./examples/${name}`, import.meta.url)))),
    { isPrivate: false },
  );
}
