import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { createKnowledgeBase, type KnowledgeBase } from 'agent-machines/machines/guide-agent';
import { exampleKnowledge } from 'agent-machines/machines/guide-agent/node';
import { WorkflowError } from '../index.ts';
import { loadDocument } from '../retrieval/node/index.ts';
import { UsageError } from './usage-error.ts';

/**
 * A catalogue of services and documents about trends: every `.json` of the folder is a part of the catalogue, every `.pdf` a document.
 * Without a folder, the samples.
 *
 * @throws {UsageError} for a folder without a catalogue; {WorkflowError} for files that cannot be used.
 */
export async function loadKnowledge(folder: string | undefined): Promise<KnowledgeBase> {
  if (folder === undefined) return exampleKnowledge();
  const names = readdirSync(folder).sort();
  const catalogues = names.filter((name) => extname(name) === '.json');
  if (catalogues.length === 0) throw new UsageError(`${folder} has no catalogue of services (.json).`);
  const documents = await Promise.all(names.filter((name) => extname(name) === '.pdf').map((name) => loadDocument(join(folder, name))));
  return createKnowledgeBase(
    catalogues.flatMap((name) => readCatalogue(join(folder, name))),
    documents,
  );
}

function readCatalogue(path: string): readonly unknown[] {
  let catalogue: unknown;
  try {
    catalogue = JSON.parse(readFileSync(path, 'utf8'));
  } catch (cause) {
    throw new WorkflowError({ code: 'DOCUMENT_INVALID', message: `"${path}" is not JSON.`, hint: 'Correct the file.', cause });
  }
  if (Array.isArray(catalogue)) return catalogue;
  throw new WorkflowError({ code: 'DOCUMENT_INVALID', message: `"${path}" is not a list of services.`, hint: 'Give an array.' });
}
