import { loadDocument, type TextDocument } from 'agent-machines/documents';
import catalogue from './examples/ai-services.json' with { type: 'json' };
import { createKnowledgeBase, type Knowledge, type KnowledgeBase } from './knowledge-base.ts';

/**
 * Loads the example data of guide-agent: a catalogue of fictional AI services, and two PDFs about trends.
 *
 * Your own: `createKnowledgeBase(catalogue, [await loadDocument('trends.pdf')])`.
 * @throws {WorkflowError} Errors of `loadDocument`.
 * @example const workflow = guideAgent({ knowledge: await exampleKnowledge() });
 */
export const exampleKnowledge = async (): Promise<KnowledgeBase> => withTrends(await loadTrends());

/**
 * The same data, with the PDFs loaded at the first search. Suits a program that runs a single step, such as the approval of a plan.
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
        whole = undefined; // retries a failed load at the next search
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
