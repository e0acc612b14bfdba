import type { Retriever } from '../index.ts';
import { loadedOnce } from '../util/loaded-once.ts';

/** Creates a retriever that loads on the first search. */
export function lazyRetriever(load: () => Promise<Retriever>): Retriever {
  const loaded = loadedOnce(load);
  return { search: async (query, options) => (await loaded()).search(query, options) };
}
