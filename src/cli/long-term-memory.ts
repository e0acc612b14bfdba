import { createLongTermMemory, type LongTermMemory } from '../agents/memory/index.ts';
import type { VectorIndex } from '../index.ts';
import { hashedEmbedder } from '../search/index.ts';
import { lazyIndex } from './lazy-index.ts';
import type { OpenResources } from './open-resources.ts';
import type { Settings } from './settings.ts';
import { UsageError } from './usage-error.ts';

/** Opens the memories about users: in a separate file, or in a collection of a Chroma server. */
export async function openMemory(settings: MemorySettings, opened: OpenResources): Promise<LongTermMemory> {
  const index = await openIndex(settings);
  opened.add(() => index.close());
  return createLongTermMemory({ index, embedder });
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
