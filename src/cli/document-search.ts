import { readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Retriever, Tool } from '../index.ts';
import { folderDocuments } from '../search/documents/index.ts';
import { bm25Retriever } from '../search/index.ts';
import { searchDocuments } from '../tools/index.ts';
import { folderOf } from './folder-of.ts';
import { lazyRetriever } from './lazy-retriever.ts';
import { readDocuments } from './read-documents.ts';
import type { Settings } from './settings.ts';

/** Tool that searches a folder, by default the current folder's README and docs. */
export const documentSearch = ({ docs }: Settings): Tool => searchDocuments({ retriever: retrieverOf(docs) });

/** The files are read on the first search. */
function retrieverOf(docs: string | undefined): Retriever | undefined {
  const root = docs === undefined ? resolve('.') : folderOf('--docs', docs);
  if (docs === undefined && !readdirSync(root).some((name) => /^readme/i.test(name) || name === 'docs')) return undefined;
  return lazyRetriever(async () =>
    bm25Retriever(docs === undefined ? (await folderDocuments({ root })).documents : await readDocuments(root)),
  );
}
