import type { Retriever } from '../index.ts';

/** A retriever that is made when something is looked for. */
export function lazyRetriever(load: () => Promise<Retriever>): Retriever {
  let loading: Promise<Retriever> | undefined;
  return {
    async search(query, options) {
      loading ??= load();
      return (await loading).search(query, options);
    },
  };
}
