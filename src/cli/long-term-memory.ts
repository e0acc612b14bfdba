import { createLongTermMemory, type LongTermMemory } from '../agents/memory/index.ts';
import { loadedOnce } from '../core/util/loaded-once.ts';
import type { VectorIndex } from '../index.ts';
import { hashedEmbedder } from '../search/index.ts';
import { databaseKeys } from './database-key.ts';
import type { OpenResources } from './open-resources.ts';
import type { Settings } from './settings.ts';
import { UsageError } from './usage-error.ts';

/** Opens the memories about users: in a separate file, or in a collection of a Chroma server. */
export async function openMemory(settings: MemorySettings, opened: OpenResources): Promise<LongTermMemory> {
  const index = await openIndex(settings);
  opened.add(() => index.close());
  const encrypt = databaseKeys();
  return createLongTermMemory({ index, embedder, ...(encrypt ? { encrypt } : {}) });
}

export interface MemorySettings extends Pick<Settings, 'store' | 'storeUrl'> {
  /** Path of the file. */
  readonly path: string;
}

const embedder = hashedEmbedder();

// imported on demand: one loads SQLite, the other an HTTP client
async function openIndex({ store = 'sqlite', storeUrl, path }: MemorySettings): Promise<VectorIndex> {
  if (store === 'sqlite') {
    const { sqliteIndex } = await import('../search/indexes/sqlite-index.ts');
    return sqliteIndex({ path, embedder, wordsOf: () => '' }); // no word index, so that forgotten text leaves no words behind
  }
  if (store !== 'chroma') throw new UsageError(`${store} cannot store memories. Use --store sqlite or --store chroma.`);
  return lazyIndex({ name: 'chroma', dimensions: embedder.dimensions }, async () => {
    const { chromaIndex } = await import('../search/indexes/chroma-index.ts');
    return chromaIndex({ ...(storeUrl === undefined ? {} : { url: storeUrl }), collection: 'agent-machines-memory', embedder });
  });
}

/** Creates an index that opens on its first call. An unreachable server fails that call, not the program. */
function lazyIndex({ name, dimensions }: Pick<VectorIndex, 'name' | 'dimensions'>, open: () => Promise<VectorIndex>): VectorIndex {
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
