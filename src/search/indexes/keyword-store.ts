import { contentWords } from '../../core/text/query-words.ts';
import { type Bm25Index, type Bm25Options, createBm25Index } from '../rank/bm25.ts';
import type { DocumentPassage } from '../rank/markdown-passages.ts';
import { indexClosed } from './index-errors.ts';
import type { VectorStore } from './vector-store.types.ts';

/** Stores passages in memory and finds them by words. Rebuilds the index at the first search after a change. */
export function keywordStore(options: Bm25Options): VectorStore {
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
