import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TextDocument } from '../../core/ports/text-document.ts';
import { checkInteger } from '../../core/util/check-integer.ts';
import { invalidDocument } from './document-errors.ts';
import type { DocumentFormats } from './document-formats.ts';
import { documentText } from './document-text.ts';
import { readDocumentFile } from './read-document-file.ts';

export interface LoadDocumentOptions {
  /** Maximum size of a file, in bytes. @default 20_000_000 */
  readonly maxBytes?: number;
  /** Additional text formats by extension, for example `contractFormats` of `agent-machines/contracts/node`. @default {} */
  readonly formats?: DocumentFormats;
  readonly signal?: AbortSignal;
}

/**
 * Loads the text of a document: `.txt`, `.md`, `.markdown` (UTF-8, UTF-16 with a mark, or CP949), `.docx`, `.pdf`, `.hwpx`, `.odt`, `.rtf`,
 * `.html`. The document has the file's name.
 *
 * In a `.docx` the automatic numbers of paragraphs become text, and a table row is a line with tabs. A `.pdf` loses page numbers and the
 * repeated lines above and below. A text may have at most 10 million characters. Tracked changes are read as accepted, and `notices` say
 * so. All formats except plain text are read in a separate process, for at most a minute and with at most 2 GB of memory.
 *
 * @throws {WorkflowError} `FILE_NOT_FOUND`, `FILE_NOT_REGULAR`, `FILE_TOO_LARGE`, `FILE_NOT_TEXT`; `DOCUMENT_INVALID` for a document of
 * another type, or one that is empty, broken, encrypted, scanned or unreadable; `OPTION_INVALID` for a `maxBytes` that is not a whole
 * number.
 * @example await loadDocument('docs/guide.docx') // { name: 'guide.docx', text: '1. Before you begin …' }
 */
export async function loadDocument(file: string | URL, options: LoadDocumentOptions = {}): Promise<TextDocument> {
  const { maxBytes = 20_000_000, formats, signal } = options;
  checkInteger('maxBytes', maxBytes, { min: 1 });
  const path = file instanceof URL ? fileURLToPath(file) : file;
  const bytes = await readDocumentFile(path, maxBytes, signal);
  const name = basename(path);
  const { text, notices } = await documentText({ name, bytes, signal }, formats);
  if (text.trim() === '') throw invalidDocument(name, 'has no text', 'Use a document that contains text.');
  return { name, text, ...(notices.length > 0 ? { notices } : {}) };
}
