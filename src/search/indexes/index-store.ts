import { WorkflowError } from '../../core/errors/errors.ts';
import type { Embedder } from '../../core/ports/embedder.ts';
import type { Passage } from '../../core/ports/retriever.ts';
import type { VectorEntry, VectorHit, VectorIndex, VectorSearchOptions } from '../../core/ports/vector-index.ts';
import { contentWords } from '../../core/text/content-words.ts';
import { checkInteger } from '../../core/util/check-integer.ts';
import { hash } from '../../core/util/hash.ts';
import { reciprocalRankFusion } from '../rank/fusion.ts';
import type { DocumentPassage } from '../rank/markdown-passages.ts';
import type { VectorStore } from './vector-store.types.ts';

/** Returns entries that contain words of a query, best first. */
type WordSearch = (query: string, options: VectorSearchOptions) => Promise<readonly VectorHit[]>;

/** Minimum number of hits to fuse from each kind of search: an entry far down in both lists still counts. */
const minFused = 200;
/** Number of entries per lookup after the last passage of a source. */
const batch = 200;

/** Creates a store of passages on an index of vectors, optionally with a search by words. */
export function indexStore(index: VectorIndex, embedder: Embedder, searchWords?: WordSearch): VectorStore {
  /** Removes a source's passages from a number on. Their numbers have no gaps. */
  const forget = async (source: string, from: number, signal: AbortSignal | undefined): Promise<void> => {
    for (let first = from; ; first += batch) {
      const ids = Array.from({ length: batch }, (_, i) => idOf(source, first + i));
      const found = await index.get(ids, { signal });
      if (found.length > 0) await index.remove(ids, { signal });
      if (found.length < batch) return;
    }
  };

  return {
    async add(passages, { signal } = {}) {
      const vectors = await embedder.embed(passages.map(textOf), { purpose: 'document', signal });
      const counts = new Map<string, number>();
      const entries = passages.map(({ source, heading, text }, i): VectorEntry => {
        const number = counts.get(source) ?? 0;
        counts.set(source, number + 1);
        return { id: idOf(source, number), vector: vectors[i] ?? new Float32Array(), text, metadata: { source, heading } };
      });
      await index.upsert(entries, { signal });
      for (const [source, count] of counts) await forget(source, count, signal);
    },
    async remove(sources, { signal } = {}) {
      for (const source of sources) await forget(source, 0, signal);
    },
    search: (query, { limit, skip = 0, signal }) =>
      reaching(async () => {
        checkInteger('limit', limit, { min: 1 });
        checkInteger('skip', skip, { min: 0 });
        const options = { limit: searchWords ? Math.max(minFused, 2 * (limit + skip)) : limit + skip, signal };
        const [vector = new Float32Array()] = await embedder.embed([query], { purpose: 'query', signal });
        const near = (await index.search(vector, options)).filter(({ score }) => score > 0);
        const hits = searchWords ? fused(near, await searchWords(contentWords(query), options)) : near;
        return hits.slice(skip, skip + limit).map(toPassage);
      }),
    count: (options) => index.count(options),
    close: () => index.close(),
  };
}

/** Ids sort in the order of the passages. */
const idOf = (source: string, number: number): string =>
  `${source.length <= 100 ? source : hash(source)}#${String(number).padStart(6, '0')}`;

const textOf = ({ heading, text }: Pick<DocumentPassage, 'heading' | 'text'>): string => `${heading}\n${text}`;

/** The searchable words of an entry, including its heading. */
export const wordsOfPassage = ({ text, metadata }: Pick<VectorEntry, 'text' | 'metadata'>): string =>
  textOf({ heading: String(metadata.heading ?? ''), text });

function fused(near: readonly VectorHit[], worded: readonly VectorHit[]): readonly VectorHit[] {
  const hits = [...new Map([...near, ...worded].map((hit) => [hit.id, hit])).values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  const scoresOf = (found: readonly VectorHit[]): readonly number[] => {
    const scores = new Map(found.map(({ id, score }) => [id, score]));
    return hits.map(({ id }) => scores.get(id) ?? 0);
  };
  const ranks = reciprocalRankFusion([near, worded].map((found) => ({ scores: scoresOf(found), weight: 1 })));
  return hits.map((hit, i) => ({ ...hit, score: ranks[i] ?? 0 })).sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1));
}

const toPassage = ({ text, metadata, score }: VectorHit): Passage => ({
  source: String(metadata.source),
  heading: String(metadata.heading),
  text,
  score,
});

/** Maps index errors to the one code of a retriever that is unreachable. */
async function reaching<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (!WorkflowError.isInstance(cause) || cause.code !== 'INDEX_UNAVAILABLE') throw cause;
    const { message, hint, retryable } = cause;
    throw new WorkflowError({ code: 'RETRIEVER_UNAVAILABLE', message, hint, retryable, cause });
  }
}
