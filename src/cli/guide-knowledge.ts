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
import { decodeText } from '../documents/decode-text.ts';
import { loadDocument, type TextDocument } from '../documents/index.ts';
import { readDocumentFile } from '../documents/read-document-file.ts';
import { WorkflowError } from '../errors.ts';
import type { Retriever } from '../index.ts';
import { createVectorStore } from '../search/adapters/vector-store.ts';
import { hash } from '../util/hash.ts';
import { folderOf } from './folder-of.ts';
import type { Opened } from './opened.ts';
import type { Settings } from './settings.ts';
import { UsageError } from './usage-error.ts';

/**
 * A catalogue of services and documents about trends: every `.json` of the folder is a part of the catalogue, every `.pdf` a document.
 * Without a folder, the samples, whose PDFs are read when something is looked for.
 *
 * @throws {UsageError} for a folder that is none, or has no catalogue; {WorkflowError} for files that cannot be used.
 */
export const loadKnowledge = async (folder: string | undefined): Promise<Knowledge> =>
  folder === undefined ? lazyExampleKnowledge() : readKnowledge(folder);

/** The same, which with `--store chroma` is looked up in a collection of the server, filled when something is first looked for. */
export async function openKnowledge({ docs, store, storeUrl }: Settings, opened: Opened): Promise<Knowledge> {
  if (store !== 'chroma') return loadKnowledge(docs);
  const open = (base: KnowledgeBase): Promise<Retriever> => openCatalogue(base, storeUrl, opened);
  if (docs === undefined) return indexedKnowledge({ known: lazyExampleKnowledge(), load: exampleKnowledge, open });
  const known = await readKnowledge(docs);
  return indexedKnowledge({ known, load: async () => known, open });
}

/** Named after what is in it: a catalogue that has changed is another collection, and one that is there already is not written again. */
async function openCatalogue(base: KnowledgeBase, url: string | undefined, opened: Opened): Promise<Retriever> {
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
  // one after the other: each is read in a process of its own
  for (const name of names.filter((name) => extname(name) === '.pdf')) documents.push(await loadDocument(join(folder, name)));
  const services = await Promise.all(catalogues.map((name) => readCatalogue(join(folder, name))));
  return createKnowledgeBase(services.flat(), documents);
}

const maxCatalogueBytes = 20_000_000;

async function readCatalogue(path: string): Promise<readonly CatalogueService[]> {
  const bytes = await readDocumentFile(path, maxCatalogueBytes); // no pipe, no device
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
    // the places that it names are places in this file
    throw new WorkflowError({ code: cause.code, message: `"${path}": ${cause.message}`, hint: cause.hint, cause });
  }
}
