import { loadedOnce } from '../core/util/loaded-once.ts';
import type { VectorIndex } from '../index.ts';

/** Creates an index that opens on its first call. An unreachable server fails that call, not the program. */
export function lazyIndex({ name, dimensions }: Pick<VectorIndex, 'name' | 'dimensions'>, open: () => Promise<VectorIndex>): VectorIndex {
  let isOpen = false;
  const opened = loadedOnce(async () => {
    const index = await open();
    isOpen = true;
    return index;
  });
  return {
    name,
    dimensions,
    upsert: async (...given) => (await opened()).upsert(...given),
    remove: async (...given) => (await opened()).remove(...given),
    search: async (...given) => (await opened()).search(...given),
    get: async (...given) => (await opened()).get(...given),
    count: async (...given) => (await opened()).count(...given),
    close: async () => {
      if (isOpen) await (await opened()).close();
    },
  };
}
