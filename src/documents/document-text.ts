import { extname } from 'node:path';
import { WorkflowError } from '../errors.ts';
import { decodeText } from './decode-text.ts';
import { documentTooLarge, invalidDocument } from './document-errors.ts';
import type { DocumentFile } from './document-file.ts';
import { loadJson } from './load-json.ts';
import { readInProcess } from './read-in-process.ts';

const maxTextLength = 10_000_000;

const readers: Readonly<Record<string, (file: DocumentFile) => string | Promise<string>>> = {
  '.txt': readText,
  '.md': readText,
  '.mdx': readText,
  '.markdown': readText,
  '.json': (file) => loadJson(file.name, readText(file)),
  '.docx': (file) => readInProcess({ ...file, maxTextLength }),
  '.pdf': (file) => readInProcess({ ...file, maxTextLength }),
};

/** The endings of the files that can be read. */
export const documentExtensions: readonly string[] = Object.keys(readers);

/** The text of a document's file; empty when it has none. */
export async function documentText(file: DocumentFile): Promise<string> {
  const ending = extname(file.name).toLowerCase();
  const reader = Object.hasOwn(readers, ending) ? readers[ending] : undefined;
  if (!reader) throw invalidDocument(file.name, 'is of a type that cannot be read', `Give one of ${documentExtensions.join(', ')}.`);
  const text = await reader(file);
  if (text.length > maxTextLength) throw documentTooLarge(file.name, `has more than ${maxTextLength} characters`, 'Split it.');
  return text;
}

function readText({ name, bytes }: DocumentFile): string {
  const text = decodeText(bytes);
  if (text !== undefined) return text;
  throw new WorkflowError({
    code: 'FILE_NOT_TEXT',
    message: `"${name}" is not text in UTF-8, UTF-16 or CP949.`,
    hint: 'Save it as UTF-8.',
  });
}
