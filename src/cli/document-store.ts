import type { Retriever } from '../index.ts';
import { createVectorStore, type VectorStore, type VectorStoreOptions } from '../retrieval/adapters/vector-store.ts';
import { markdownPassages } from '../retrieval/index.ts';
import { folderDocuments } from '../retrieval/node/index.ts';
import { folderOf } from './folder-of.ts';
import type { Opened } from './opened.ts';
import type { Settings, StoreType } from './settings.ts';
import { oneLine } from './terminal.ts';
import { UsageError } from './usage-error.ts';

const extensions = ['.md', '.mdx', '.markdown', '.txt', '.json', '.docx', '.pdf'];
const maxFileBytes = 20_000_000;

/** The documents of the settings in a store of the type that they name; `undefined`: no folder is open. They are read when something is looked for. */
export function documentStore({ docs, store, storeUrl, storePath }: Settings, opened: Opened): Retriever | undefined {
  if (docs === undefined) {
    if (store !== undefined) throw new UsageError(`--store ${store} needs --docs DIR: the documents that it keeps.`);
    return undefined;
  }
  const root = folderOf('--docs', docs);
  const options = optionsOf(store ?? 'memory', storeUrl, storePath);
  let loading: Promise<VectorStore> | undefined;
  const load = async (): Promise<VectorStore> => {
    const found = await createVectorStore(options);
    opened.add(() => found.close());
    const { documents, skipped } = await folderDocuments({ root, include: ['.'], extensions, maxFileBytes });
    for (const { name, reason } of skipped) process.stderr.write(`${oneLine(`${name} is not read: ${reason}.`)}\n`);
    await found.add(documents.flatMap(markdownPassages));
    return found;
  };
  return {
    async search(query, search) {
      loading ??= load();
      return (await loading).search(query, search);
    },
  };
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
