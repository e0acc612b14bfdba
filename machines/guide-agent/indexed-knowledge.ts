import type { Retriever } from 'agent-machines';
import { judged, type Knowledge, type KnowledgeBase } from './knowledge-base.ts';

export interface IndexedKnowledgeOptions {
  /** What is known before something is looked for. */
  readonly known: Omit<Knowledge, 'search'>;
  /** Loads the catalogue and its documents, when something is first looked for. */
  readonly load: () => Promise<KnowledgeBase>;
  /** Opens the index that holds `knowledgePassages` of what was loaded, each under its own `source`. */
  readonly open: (base: KnowledgeBase) => Promise<Retriever>;
}

/** How many passages are looked for in the index, at least. */
const minFound = 50;

/**
 * A catalogue that is looked up in an index elsewhere, such as a collection of a Chroma server: the index says which services and passages
 * come into question, and the catalogue how well they answer. What the index has and the catalogue has not is passed over.
 *
 * What cannot be loaded or opened is tried again by the next search.
 */
export function indexedKnowledge({ known, load, open }: IndexedKnowledgeOptions): Knowledge {
  let opened: Promise<{ readonly base: KnowledgeBase; readonly index: Retriever }> | undefined;
  const openOnce = async (): Promise<Awaited<NonNullable<typeof opened>>> => {
    const base = await load();
    return { base, index: await open(base) };
  };
  return {
    isPrivate: known.isPrivate,
    categories: known.categories,
    services: known.services,
    async search(query, { limit }) {
      opened ??= openOnce().catch((cause: unknown) => {
        opened = undefined;
        throw cause;
      });
      const { base, index } = await opened;
      const passages = await index.search(query, { limit: Math.max(minFound, 10 * limit) });
      const found = new Set(passages.map(({ source }) => source));
      const { services, trends } = base.search(query, { limit: Math.max(1, base.services.length) });
      return judged(
        services.filter(({ service }) => found.has(service.id)).slice(0, limit),
        trends.filter(({ id }) => found.has(id)),
      );
    },
  };
}
