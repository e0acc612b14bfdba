import type { Embedder } from '../../core/ports/embedder.ts';
import { contentWords } from '../../core/text/content-words.ts';
import { optionInvalid } from '../../core/util/check-options.ts';
import { type Bm25Index, type Bm25Options, createBm25Index } from '../rank/bm25.ts';
import { hashedEmbedder } from '../rank/hashed-embedder.ts';
import type { DocumentPassage } from '../rank/markdown-passages.ts';
import type { ChromaIndexOptions } from './chroma-index.ts';
import type { FaissIndexOptions } from './faiss-index.ts';
import { indexClosed } from './index-errors.ts';
import { indexStore, wordsOfPassage } from './index-store.ts';
import type { OpensearchIndexOptions } from './opensearch-index.ts';
import type { SqliteIndexOptions } from './sqlite-index.ts';
import type { VectorStore } from './vector-store.types.ts';

export type { VectorStore } from './vector-store.types.ts';

interface Embedding {
  /** Embedder for passages and questions. @default hashedEmbedder() */
  readonly embedder?: Embedder;
}

/** The type of the store, with its options. */
export type VectorStoreOptions =
  | ({ readonly type: 'memory' } & Bm25Options)
  | ({ readonly type: 'sqlite' } & Embedding & Omit<SqliteIndexOptions, 'embedder' | 'wordsOf'>)
  | ({ readonly type: 'faiss' } & Embedding & Omit<FaissIndexOptions, 'embedder'>)
  | ({ readonly type: 'chroma' } & Embedding & Omit<ChromaIndexOptions, 'embedder'>)
  | ({ readonly type: 'opensearch' } & Embedding & Omit<OpensearchIndexOptions, 'embedder'>);

/**
 * Opens a store of passages. `memory` searches by words (BM25). `sqlite` searches by words and by vectors, and fuses the ranks (RRF, k =
 * 60). The others search by vectors. Passages without any similarity to the question are not returned.
 *
 * @throws {WorkflowError} `OPTION_INVALID` for an unknown type, and the errors of that type's index: `ADAPTER_MISSING`,
 * `INDEX_UNAVAILABLE`, `INDEX_OF_OTHER_EMBEDDER`, …
 * @example
 * const store = await createVectorStore({ type: 'sqlite', path: 'contracts.db' });
 * await store.add(markdownPassages({ name: 'contract.md', text }));
 * await store.search('계약 기간은?', { limit: 3 });
 */
export async function createVectorStore(options: VectorStoreOptions): Promise<VectorStore> {
  if (options.type === 'memory') return keywordStore(options);
  const embedder = options.embedder ?? hashedEmbedder();
  // imported on demand: they need `node:sqlite`, and packages that may be missing
  switch (options.type) {
    case 'sqlite': {
      const { sqliteIndex } = await import('./sqlite-index.ts');
      const index = await sqliteIndex({ ...options, embedder, wordsOf: wordsOfPassage });
      return indexStore(index, embedder, (query, search) => index.searchWords(query, search));
    }
    case 'faiss': {
      const { faissIndex } = await import('./faiss-index.ts');
      return indexStore(await faissIndex({ ...options, embedder }), embedder);
    }
    case 'chroma': {
      const { chromaIndex } = await import('./chroma-index.ts');
      return indexStore(await chromaIndex({ ...options, embedder }), embedder);
    }
    case 'opensearch': {
      const { opensearchIndex } = await import('./opensearch-index.ts');
      return indexStore(await opensearchIndex({ ...options, embedder }), embedder);
    }
    default:
      throw optionInvalid(
        `The store type "${(options as { type?: unknown }).type}" is unknown.`,
        'Use memory, sqlite, faiss, chroma or opensearch.',
      );
  }
}

/** Stores passages in memory and finds them by words. Rebuilds the index at the first search after a change. */
function keywordStore(options: Bm25Options): VectorStore {
  const passagesOf = new Map<string, readonly DocumentPassage[]>();
  let passages: readonly DocumentPassage[] = [];
  let index: Bm25Index | undefined = createBm25Index(passages, options); // also rejects invalid options
  let isOpen = true;
  const enter = (signal: AbortSignal | undefined): void => {
    if (!isOpen) throw indexClosed('memory');
    signal?.throwIfAborted();
  };
  return {
    async add(added, { signal } = {}) {
      enter(signal);
      for (const [source, group] of Map.groupBy(added, ({ source }) => source)) passagesOf.set(source, structuredClone(group));
      index = undefined;
    },
    async remove(sources, { signal } = {}) {
      enter(signal);
      for (const source of sources) passagesOf.delete(source);
      index = undefined;
    },
    async search(query, { limit, skip = 0, signal }) {
      enter(signal);
      if (!index) {
        passages = [...passagesOf.values()].flat();
        index = createBm25Index(passages, options);
      }
      return index.search(contentWords(query), limit, skip).flatMap(({ index, score }) => {
        const passage = passages[index];
        return passage ? [{ ...passage, score }] : [];
      });
    },
    async count({ signal } = {}) {
      enter(signal);
      return [...passagesOf.values()].reduce((sum, { length }) => sum + length, 0);
    },
    async close() {
      isOpen = false;
      passagesOf.clear();
      passages = [];
      index = undefined;
    },
  };
}
