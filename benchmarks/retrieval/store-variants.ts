import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { hashedEmbedder, memoryIndex } from 'agent-machines/search';
import { createVectorStore, type VectorStore } from 'agent-machines/search/node';
import { indexStore } from '../../src/search/indexes/index-store.ts';
import { importFaiss } from '../../test/system/build-faiss.ts';
import { chromaServer } from '../../test/system/chroma/chroma-server.ts';
import { importChroma } from '../../test/system/import-chroma.ts';
import { isInstalled } from '../../test/system/install-folder.ts';

export interface OpenStore extends AsyncDisposable {
  readonly store: VectorStore;
  /** Memory of a server beside this process, in bytes. */
  serverBytes(): number;
}

/** Opens a store in an empty folder. */
type Open = (folder: string) => Promise<OpenStore>;

const alone = (store: VectorStore): OpenStore => ({ store, serverBytes: () => 0, [Symbol.asyncDispose]: () => store.close() });

const opens = {
  'memory, words': async () => alone(await createVectorStore({ type: 'memory' })),
  'memory, vectors': async () => {
    const embedder = hashedEmbedder();
    return alone(indexStore(memoryIndex({ embedder }), embedder));
  },
  'sqlite with sqlite-vec': async (folder) =>
    alone(await createVectorStore({ type: 'sqlite', path: join(folder, 'index.db'), compare: 'sqlite-vec' })),
  'sqlite without it': async (folder) => alone(await createVectorStore({ type: 'sqlite', path: join(folder, 'index.db'), compare: 'js' })),
  faiss: async (folder) => {
    const load = importFaiss();
    if (!load) throw new Error('faiss-node is not built.');
    return alone(await createVectorStore({ type: 'faiss', indexPath: join(folder, 'index'), faiss: load }));
  },
  chroma: async () => {
    const server = await chromaServer();
    const store = await createVectorStore({ type: 'chroma', url: server.url, collection: 'bench', chroma: importChroma });
    return {
      store,
      serverBytes: () => Number(/VmRSS:\s*(\d+) kB/.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))?.[1]) * 1024,
      async [Symbol.asyncDispose]() {
        await store.close();
        await server[Symbol.asyncDispose]();
      },
    };
  },
} satisfies Readonly<Record<string, Open>>;

export type StoreVariant = keyof typeof opens;

export const openVariant = (variant: StoreVariant, folder: string): Promise<OpenStore> => opens[variant](folder);

/** Those that can be measured here: FAISS where it was built, Chroma where it was installed and a process tells its memory. */
export const storeVariants = (): readonly StoreVariant[] =>
  (Object.keys(opens) as StoreVariant[]).filter(
    (variant) =>
      (variant !== 'faiss' || importFaiss() !== undefined) &&
      (variant !== 'chroma' || (isInstalled('chroma') && process.platform === 'linux')),
  );
