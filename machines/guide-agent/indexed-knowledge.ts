import type { Retriever } from 'agent-machines';
import { judged, type Knowledge, type KnowledgeBase } from './knowledge-base.ts';

export interface IndexedKnowledgeOptions {
  /** Knowledge that is available before the first search. */
  readonly known: Omit<Knowledge, 'search'>;
  /** Loads the catalogue and its documents at the first search. */
  readonly load: () => Promise<KnowledgeBase>;
  /** Opens the index of the loaded `knowledgePassages`, each stored under its own `source`. */
  readonly open: (base: KnowledgeBase) => Promise<Retriever>;
}

/** Minimum number of passages to request from the index. */
const minFound = 50;

/**
 * Searches a catalogue through an external index, such as a Chroma collection. The index selects services and passages, and the catalogue
 * scores them. Hits that the catalogue does not contain are ignored.
 *
 * A failed load is retried by the next search.
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
