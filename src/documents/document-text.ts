import { extname } from 'node:path';
import { WorkflowError } from '../errors.ts';
import { decodeText } from './decode-text.ts';
import { documentTooLarge, invalidDocument } from './document-errors.ts';
import type { DocumentFile } from './document-file.ts';
import type { DocumentFormats } from './document-formats.ts';
import { readInProcess } from './read-in-process.ts';

const maxTextLength = 10_000_000;

const readers: Readonly<Record<string, (file: DocumentFile) => string | Promise<string>>> = {
  '.txt': readText,
  '.md': readText,
  '.mdx': readText,
  '.markdown': readText,
  '.docx': (file) => readInProcess({ ...file, maxTextLength }),
  '.pdf': (file) => readInProcess({ ...file, maxTextLength }),
};

/** The endings of the files that can be read. */
export const documentExtensions = (formats: DocumentFormats = {}): readonly string[] => [
  ...new Set([...Object.keys(readers), ...Object.keys(formats)]),
];

/** The text of a document's file; empty when it has none. */
export async function documentText(file: DocumentFile, formats: DocumentFormats = {}): Promise<string> {
  const ending = extname(file.name).toLowerCase();
  const format = Object.hasOwn(formats, ending) ? formats[ending] : undefined;
  const reader = Object.hasOwn(readers, ending) ? readers[ending] : undefined;
  if (!format && !reader) {
    throw invalidDocument(file.name, 'is of a type that cannot be read', `Give one of ${documentExtensions(formats).join(', ')}.`);
  }
  const text = format ? format({ name: file.name, text: readText(file) }) : ((await reader?.(file)) ?? '');
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
