import { loadDocument, type TextDocument } from 'agent-machines/documents';
import catalogue from './examples/ai-services.json' with { type: 'json' };
import { createKnowledgeBase, type Knowledge, type KnowledgeBase } from './knowledge-base.ts';

/**
 * Loads what is shipped to try guide-agent on: a catalogue of fictional AI services, and two PDFs about trends.
 *
 * Your own: `createKnowledgeBase(catalogue, [await loadDocument('trends.pdf')])`.
 * @throws {WorkflowError} What `loadDocument` throws.
 * @example const workflow = guideAgent({ knowledge: await exampleKnowledge() });
 */
export const exampleKnowledge = async (): Promise<KnowledgeBase> => withTrends(await loadTrends());

/**
 * The same, whose PDFs are read when something is looked for: for a program of one step, such as the approval of a plan.
 *
 * @example const workflow = guideAgent({ knowledge: lazyExampleKnowledge() });
 */
export function lazyExampleKnowledge(): Knowledge {
  let whole: Promise<KnowledgeBase> | undefined;
  return {
    ...withTrends([]),
    async search(query, options) {
      whole ??= exampleKnowledge();
      whole.catch(() => {
        whole = undefined; // what could not be read may be the next time
      });
      return (await whole).search(query, options);
    },
  };
}

const withTrends = (trends: readonly TextDocument[]): KnowledgeBase => createKnowledgeBase(catalogue, trends, { isPrivate: false });

const loadTrends = (): Promise<readonly TextDocument[]> =>
  Promise.all(
    ['trends-video-2026.pdf', 'trends-work-2026.pdf'].map((name) => loadDocument(new URL(`./examples/${name}`, import.meta.url))),
  );
