import { loadedOnce } from '../core/util/loaded-once.ts';
import type { Retriever } from '../index.ts';

/** Creates a retriever that loads on the first search. */
export function lazyRetriever(load: () => Promise<Retriever>): Retriever {
  const loaded = loadedOnce(load);
  return { search: async (query, options) => (await loaded()).search(query, options) };
}
