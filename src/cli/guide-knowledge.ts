import { readdirSync } from 'node:fs';
import { extname, join } from 'node:path';
import {
  type CatalogueService,
  createKnowledgeBase,
  indexedKnowledge,
  type Knowledge,
  type KnowledgeBase,
  knowledgePassages,
} from 'agent-machines/machines/guide-agent';
import { exampleKnowledge, lazyExampleKnowledge } from 'agent-machines/machines/guide-agent/node';
import { WorkflowError } from '../core/errors/errors.ts';
import { hash } from '../core/util/hash.ts';
import type { Retriever } from '../index.ts';
import { decodeText } from '../search/documents/decode-text.ts';
import { loadDocument, type TextDocument } from '../search/documents/index.ts';
import { readDocumentFile } from '../search/documents/read-document-file.ts';
import { createVectorStore } from '../search/indexes/vector-store.ts';
import { folderOf } from './folder-of.ts';
import type { OpenResources } from './open-resources.ts';
import type { Settings } from './settings.ts';
import { UsageError } from './usage-error.ts';

/**
 * Loads a catalogue of services and documents about trends: every `.json` of the folder is part of the catalogue, every `.pdf` a document.
 * Without a folder, the samples are used; their PDFs are read on the first search.
 *
 * @throws {UsageError} for a path that is not a folder or has no catalogue; {WorkflowError} for unusable files.
 */
export const loadKnowledge = async (folder: string | undefined): Promise<Knowledge> =>
  folder === undefined ? lazyExampleKnowledge() : readKnowledge(folder);

/** Opens the same knowledge. With `--store chroma`, it is searched in a collection of the server, which is filled on the first search. */
export async function openKnowledge({ docs, store, storeUrl }: Settings, opened: OpenResources): Promise<Knowledge> {
  if (store !== 'chroma') return loadKnowledge(docs);
  const open = (base: KnowledgeBase): Promise<Retriever> => openCatalogue(base, storeUrl, opened);
  if (docs === undefined) return indexedKnowledge({ known: lazyExampleKnowledge(), load: exampleKnowledge, open });
  const known = await readKnowledge(docs);
  return indexedKnowledge({ known, load: async () => known, open });
}

/** Names the collection after its content. A changed catalogue gets a new collection, and an existing one is not written again. */
async function openCatalogue(base: KnowledgeBase, url: string | undefined, opened: OpenResources): Promise<Retriever> {
  const passages = knowledgePassages(base);
  const collection = `agent-machines-catalogue-${hash(JSON.stringify(passages)).slice(0, 16)}`;
  const found = await createVectorStore({ type: 'chroma', collection, ...(url === undefined ? {} : { url }) });
  opened.add(() => found.close());
  if ((await found.count()) !== passages.length) await found.add(passages);
  return found;
}

async function readKnowledge(folder: string): Promise<KnowledgeBase> {
  const names = readdirSync(folderOf('--docs', folder)).sort();
  const catalogues = names.filter((name) => extname(name) === '.json');
  if (catalogues.length === 0) throw new UsageError(`${folder} has no catalogue of services (.json).`);
  const documents: TextDocument[] = [];
  // sequential, because each document is read in its own process
  for (const name of names.filter((name) => extname(name) === '.pdf')) documents.push(await loadDocument(join(folder, name)));
  const services = await Promise.all(catalogues.map((name) => readCatalogue(join(folder, name))));
  return createKnowledgeBase(services.flat(), documents);
}

const maxCatalogueBytes = 20_000_000;

async function readCatalogue(path: string): Promise<readonly CatalogueService[]> {
  const bytes = await readDocumentFile(path, maxCatalogueBytes); // regular files only, no pipes or devices
  let catalogue: unknown;
  try {
    catalogue = JSON.parse(decodeText(bytes)?.replace(/^\uFEFF/, '') ?? '');
  } catch (cause) {
    throw new WorkflowError({ code: 'DOCUMENT_INVALID', message: `"${path}" is not JSON.`, hint: 'Correct the file.', cause });
  }
  if (!Array.isArray(catalogue)) {
    throw new WorkflowError({ code: 'DOCUMENT_INVALID', message: `"${path}" is not a list of services.`, hint: 'Give an array.' });
  }
  try {
    return createKnowledgeBase(catalogue, []).services;
  } catch (cause) {
    if (!WorkflowError.isInstance(cause)) throw cause;
    // positions in the message refer to this file
    throw new WorkflowError({ code: cause.code, message: `"${path}": ${cause.message}`, hint: cause.hint, cause });
  }
}
