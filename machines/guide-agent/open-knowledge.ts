import { WorkflowError } from 'agent-machines';
import { loadDocument, type TextDocument } from 'agent-machines/documents';
import type { WorkflowKit } from 'agent-machines/machines';
import type { CatalogueService } from './catalogue.ts';
import { exampleKnowledge, lazyExampleKnowledge } from './example-knowledge.ts';
import { indexedKnowledge } from './indexed-knowledge.ts';
import { createKnowledgeBase, type Knowledge, type KnowledgeBase, knowledgePassages } from './knowledge-base.ts';

/**
 * Opens a catalogue of services and documents about trends. Every `.json` of the documents folder is part of the catalogue, every `.pdf` a
 * document. Without a folder, the samples are used; their PDFs are read on the first search. With an index, the first search fills it.
 *
 * @throws {WorkflowError} `OPTION_INVALID` for a folder without a catalogue, and errors of unusable files.
 */
export async function openKnowledge({ files, index }: Pick<WorkflowKit, 'files' | 'index'>): Promise<Knowledge> {
  const paths = files();
  const own = paths && (await readKnowledge(paths));
  const known = own ?? lazyExampleKnowledge();
  if (index === undefined) return known;
  return indexedKnowledge({
    known,
    load: async () => own ?? exampleKnowledge(),
    open: (base) => index('catalogue', knowledgePassages(base)),
  });
}

async function readKnowledge(paths: readonly string[]): Promise<KnowledgeBase> {
  const catalogues = paths.filter((path) => path.endsWith('.json'));
  if (catalogues.length === 0) {
    throw new WorkflowError({
      code: 'OPTION_INVALID',
      message: `None of the ${paths.length} files in the documents folder is a catalogue of services (.json).`,
      hint: 'Add a list of services, or leave the folder out.',
    });
  }
  const documents: TextDocument[] = [];
  // sequential, because each document is read in its own process
  for (const path of paths.filter((path) => path.endsWith('.pdf'))) documents.push(await loadDocument(path));
  const services = await Promise.all(catalogues.map(readCatalogue));
  return createKnowledgeBase(services.flat(), documents);
}

async function readCatalogue(path: string): Promise<readonly CatalogueService[]> {
  const { text } = await loadDocument(path, { formats: { '.json': (file) => file.text } });
  let catalogue: unknown;
  try {
    catalogue = JSON.parse(text);
  } catch (cause) {
    throw new WorkflowError({ code: 'DOCUMENT_INVALID', message: `"${path}" is not JSON.`, hint: 'Correct the file.', cause });
  }
  if (!Array.isArray(catalogue)) {
    throw new WorkflowError({ code: 'DOCUMENT_INVALID', message: `"${path}" is not a list of services.`, hint: 'Use an array.' });
  }
  try {
    return createKnowledgeBase(catalogue, []).services;
  } catch (cause) {
    if (!WorkflowError.isInstance(cause)) throw cause;
    // positions in the message refer to this file
    throw new WorkflowError({ code: cause.code, message: `"${path}": ${cause.message}`, hint: cause.hint, cause });
  }
}
