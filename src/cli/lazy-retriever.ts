import type { Retriever } from '../index.ts';
import { loadedOnce } from '../util/loaded-once.ts';

/** A retriever that is made when something is looked for. */
export function lazyRetriever(load: () => Promise<Retriever>): Retriever {
  const loaded = loadedOnce(load);
  return { search: async (query, options) => (await loaded()).search(query, options) };
}
