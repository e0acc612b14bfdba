import type { Retriever } from '../index.ts';
import { markdownPassages } from '../search/index.ts';
import { createVectorStore, type VectorStoreOptions } from '../search/indexes/vector-store.ts';
import { folderOf } from './folder-of.ts';
import { lazyRetriever } from './lazy-retriever.ts';
import type { OpenResources } from './open-resources.ts';
import { readDocuments } from './read-documents.ts';
import type { Settings, StoreType } from './settings.ts';
import { UsageError } from './usage-error.ts';

/** Opens the documents in the configured store; `undefined` if no folder is set. They are read on the first search. */
export function documentStore({ docs, store, storeUrl, storePath }: Settings, opened: OpenResources): Retriever | undefined {
  if (docs === undefined) {
    if (store !== undefined) throw new UsageError(`--store ${store} stores documents and needs --docs DIR.`);
    return undefined;
  }
  const root = folderOf('--docs', docs);
  const options = optionsOf(store ?? 'memory', storeUrl, storePath);
  return lazyRetriever(async () => {
    const found = await createVectorStore(options);
    opened.add(() => found.close());
    await found.add((await readDocuments(root)).flatMap(markdownPassages));
    return found;
  });
}

function optionsOf(type: StoreType, url: string | undefined, path = '.agent-machines/documents'): VectorStoreOptions {
  switch (type) {
    case 'memory':
      return { type };
    case 'sqlite':
      return { type, path: `${path}.db` };
    case 'faiss':
      return { type, indexPath: `${path}.faiss` };
    case 'chroma':
      return { type, url: url ?? 'http://localhost:8000', collection: 'agent-machines' };
    case 'opensearch':
      return { type, url: url ?? 'http://localhost:9200', index: 'agent-machines' };
  }
}
