import { extname } from 'node:path';
import { WorkflowError } from '../../core/errors/errors.ts';
import { decodeText } from './decode-text.ts';
import { documentTooLarge, invalidDocument } from './document-errors.ts';
import type { DocumentFile } from './document-file.ts';
import type { DocumentFormats } from './document-formats.ts';
import { readInProcess } from './read-in-process.ts';
import type { ReadText } from './read-text.ts';

const maxTextLength = 10_000_000;

const inProcess = (file: DocumentFile): Promise<ReadText> => readInProcess({ ...file, maxTextLength });

const readers: Readonly<Record<string, (file: DocumentFile) => ReadText | Promise<ReadText>>> = {
  '.txt': readText,
  '.md': readText,
  '.mdx': readText,
  '.markdown': readText,
  '.docx': inProcess,
  '.pdf': inProcess,
  '.odt': inProcess,
  '.hwpx': inProcess,
  '.rtf': inProcess,
  '.html': inProcess,
  '.htm': inProcess,
};

/** Returns the extensions of readable files. */
export const documentExtensions = (formats: DocumentFormats = {}): readonly string[] => [
  ...new Set([...Object.keys(readers), ...Object.keys(formats)]),
];

/** Returns the text of a document's file; empty if it has none. */
export async function documentText(file: DocumentFile, formats: DocumentFormats = {}): Promise<ReadText> {
  const ending = extname(file.name).toLowerCase();
  const format = Object.hasOwn(formats, ending) ? formats[ending] : undefined;
  const reader = Object.hasOwn(readers, ending) ? readers[ending] : undefined;
  if (!format && ending === '.hwp') {
    throw invalidDocument(file.name, 'is a Hangul document of the older format', 'Open it in Hangul and save it as .hwpx, .docx or PDF.');
  }
  if (!format && !reader) {
    throw invalidDocument(file.name, 'has an unsupported type', `Use one of ${documentExtensions(formats).join(', ')}.`);
  }
  const read = format ? { text: format({ name: file.name, text: readText(file).text }), notices: [] } : await reader?.(file);
  const { text = '', notices = [] } = read ?? {};
  if (text.length > maxTextLength) throw documentTooLarge(file.name, `has more than ${maxTextLength} characters`, 'Split it.');
  return { text, notices };
}

function readText({ name, bytes }: DocumentFile): ReadText {
  const text = decodeText(bytes);
  if (text !== undefined) return { text, notices: [] };
  throw new WorkflowError({
    code: 'FILE_NOT_TEXT',
    message: `"${name}" is not text in UTF-8, UTF-16 or CP949.`,
    hint: 'Save it as UTF-8.',
  });
}
