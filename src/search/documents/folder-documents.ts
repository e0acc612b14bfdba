import { readdir, realpath, stat } from 'node:fs/promises';
import { extname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { WorkflowError } from '../../core/errors/errors.ts';
import { readRegularFile, withOpenFile } from '../../core/node/files/read-regular-file.ts';
import { systemCode } from '../../core/node/files/system-code.ts';
import type { TextDocument } from '../../core/ports/text-document.ts';
import { checkInteger } from '../../core/util/check-integer.ts';
import { optionInvalid } from '../../core/util/check-options.ts';
import type { DocumentFormats } from './document-formats.ts';
import { documentExtensions, documentText } from './document-text.ts';

export interface FolderDocumentsOptions {
  /** The folder. Files outside it are never read, even through links. */
  readonly root: string;
  /** Files and folders in it, relative to `root`. Default: every `README*` and `docs`, or the whole folder if it has neither. */
  readonly include?: readonly string[];
  /** Maximum size of a file, in bytes. @default 1_000_000 */
  readonly maxFileBytes?: number;
  /**
   * Extensions of the files to read, from `.md .mdx .markdown .txt .docx .pdf .hwpx .odt .rtf .html .htm` and those of `formats`. @default
   * ['.md', '.mdx', '.markdown', '.txt']
   */
  readonly extensions?: readonly string[];
  /** Additional text formats by extension, for example `contractFormats` of `agent-machines/contracts/node`. @default {} */
  readonly formats?: DocumentFormats;
  /** Maximum number of documents. @default 5_000 */
  readonly maxFiles?: number;
  readonly signal?: AbortSignal;
}

export interface FolderDocuments {
  /** Sorted by name. Names are relative to the root, with `/`. */
  readonly documents: readonly TextDocument[];
  /** Files that were found but not read. Files with another extension are not listed. */
  readonly skipped: readonly SkippedFile[];
}

export interface SkippedFile {
  readonly name: string;
  /** The reason, in a few words. */
  readonly reason: string;
}

const textFiles = ['.md', '.mdx', '.markdown', '.txt'];

/**
 * Reads the documents of a folder: Markdown and text, and with `extensions` all other types of `loadDocument`. Skips `node_modules`, names
 * that start with a dot, and files that are too large, broken, not text or outside the root.
 *
 * @throws {WorkflowError} `FILE_NOT_FOUND` if the root or a name of `include` does not exist, `PATH_OUTSIDE_ROOT` for a name of `include`
 * outside the root, `OPTION_INVALID` for a root that is not a folder, a limit that is not a whole number, or an unsupported extension.
 */
export async function folderDocuments(options: FolderDocumentsOptions): Promise<FolderDocuments> {
  const { maxFileBytes = 1_000_000, maxFiles = 5_000, extensions = textFiles, formats, signal } = options;
  checkInteger('maxFileBytes', maxFileBytes, { min: 1 });
  checkInteger('maxFiles', maxFiles, { min: 1 });
  const isDocument = endingTest(extensions, documentExtensions(formats));
  const root = await realRoot(options.root);
  const documents: TextDocument[] = [];
  const skipped: SkippedFile[] = [];
  const seen = new Set<string>();
  const pending = (await firstNames(root, options.include, isDocument)).reverse();
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    signal?.throwIfAborted();
    if (documents.length >= maxFiles) {
      skipped.push({ name: name || '.', reason: `the limit of ${maxFiles} documents is reached; the rest is not read` });
      break;
    }
    const found = await readEntry({ root, name, seen, maxFileBytes, extensions, formats, isDocument, signal });
    if (found.kind === 'folder') for (const inside of found.names.reverse()) pending.push(inside);
    else if (found.kind === 'document') documents.push({ ...found.document, name });
    else skipped.push({ name: name || '.', reason: found.reason });
  }
  return { documents: documents.sort((a, b) => (a.name < b.name ? -1 : 1)), skipped };
}

type FolderEntry =
  | { readonly kind: 'folder'; readonly names: string[] }
  | { readonly kind: 'document'; readonly document: Omit<TextDocument, 'name'> }
  | { readonly kind: 'nothing'; readonly reason: string };

interface Place {
  readonly root: string;
  readonly name: string;
  /** Real paths that were read. A link to one of them would duplicate it, or loop forever. */
  readonly seen: Set<string>;
  readonly maxFileBytes: number;
  readonly extensions: readonly string[];
  readonly formats: DocumentFormats | undefined;
  readonly isDocument: (name: string) => boolean;
  readonly signal: AbortSignal | undefined;
}

async function readEntry({ root, name, seen, maxFileBytes, extensions, formats, isDocument, signal }: Place): Promise<FolderEntry> {
  try {
    const path = await realpath(join(root, name));
    const realName = nameBelow(root, path);
    if (realName === undefined) return skip('outside the folder');
    // also checks the real name: a link may give a hidden file a harmless name
    const closed = hiddenPart(name) ?? hiddenPart(realName);
    if (closed !== undefined) return skip(closed);
    if (seen.has(path)) return skip('already read under another name');
    seen.add(path);
    if ((await stat(path)).isDirectory()) return { kind: 'folder', names: await namesIn(path, name, isDocument) };
    if (!isDocument(realName)) return skip(`not a ${orList(extensions)} file`);
    const bytes = await readBytes(path, maxFileBytes);
    if (typeof bytes === 'string') return skip(bytes);
    const { text, notices = [] } = await documentText({ name: realName, bytes, signal }, formats);
    return { kind: 'document', document: { text, ...(notices.length > 0 ? { notices } : {}) } };
  } catch (error) {
    signal?.throwIfAborted();
    if (WorkflowError.isInstance(error)) return skip(error.message.replace(/^"[^"]*" |\.$/g, ''));
    const code = systemCode(error);
    if (code === undefined) throw error;
    return skip(`cannot be read (${code})`);
  }
}

const skip = (reason: string): FolderEntry => ({ kind: 'nothing', reason });

/** Returns the names in a folder that are, or may contain, documents; sorted. */
async function namesIn(path: string, name: string, isDocument: (name: string) => boolean): Promise<string[]> {
  const entries = await readdir(path, { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory() || entry.isSymbolicLink() || isDocument(entry.name))
    .map((entry) => (name === '' ? entry.name : `${name}/${entry.name}`))
    .sort();
}

/** Returns the bytes of a file, or the reason not to read it. */
async function readBytes(path: string, maxFileBytes: number): Promise<Uint8Array | string> {
  // the real path has no links; a link there now was added since
  const read = await withOpenFile(path, (file) => readRegularFile(file, { maxBytes: maxFileBytes }), { followLinks: false });
  if (read.kind === 'irregular') return 'not a regular file';
  if (read.kind === 'large') return `larger than ${maxFileBytes} bytes`;
  return read.hasChanged ? 'changed while it was read' : read.bytes;
}

const hiddenPart = (name: string): string | undefined => {
  const part = name.split('/').find((part) => part.startsWith('.') || part === 'node_modules');
  return part === undefined ? undefined : part === 'node_modules' ? 'in node_modules' : 'a part of its path starts with a dot';
};

/** Returns the relative name with `/`, `''` for the root itself, or `undefined` outside it. */
function nameBelow(root: string, path: string): string | undefined {
  const name = relative(root, path);
  return isAbsolute(name) || name === '..' || name.startsWith(`..${sep}`) ? undefined : name.split(sep).join('/');
}

async function realRoot(root: string): Promise<string> {
  const path = await realpath(root).catch((cause: unknown) => {
    throw isMissing(cause) ? notFound(root, cause) : cause;
  });
  if ((await stat(path)).isDirectory()) return path;
  throw optionInvalid(`The root "${root}" is not a folder.`, 'Pass the folder that contains the documents.');
}

async function firstNames(root: string, include: readonly string[] | undefined, isDocument: (name: string) => boolean): Promise<string[]> {
  if (include === undefined) {
    const inRoot = await readdir(root, { withFileTypes: true });
    const usual = inRoot.map((entry) => entry.name).filter((name) => name === 'docs' || (/^readme/i.test(name) && isDocument(name)));
    return usual.length > 0 ? usual.sort() : [''];
  }
  const names = include.map((given) => {
    const name = nameBelow(root, resolve(root, given));
    if (name !== undefined && !isAbsolute(given)) return name;
    throw new WorkflowError({
      code: 'PATH_OUTSIDE_ROOT',
      message: `"${given}" is outside the folder of the documents.`,
      hint: 'Pass a path relative to the root that stays inside it.',
    });
  });
  for (const name of names) {
    await stat(join(root, name)).catch((cause: unknown) => {
      if (isMissing(cause)) throw notFound(name, cause); // reading the file reports any other error
    });
  }
  return names;
}

const notFound = (name: string, cause: unknown): WorkflowError =>
  new WorkflowError({ code: 'FILE_NOT_FOUND', message: `"${name}" does not exist.`, hint: 'Check the spelling.', cause });

const isMissing = (error: unknown): boolean => ['ENOENT', 'ENOTDIR'].includes(systemCode(error) ?? '');

function endingTest(extensions: readonly string[], known: readonly string[]): (name: string) => boolean {
  const wrong = extensions.find((extension) => !known.includes(extension));
  if (wrong === undefined && extensions.length > 0) return (name) => extensions.includes(extname(name).toLowerCase());
  throw optionInvalid(
    wrong === undefined ? '"extensions" is empty.' : `Files with the extension "${wrong}" cannot be read.`,
    `Use some of ${known.join(', ')}.`,
  );
}

const orList = (names: readonly string[]): string =>
  names.length > 1 ? `${names.slice(0, -1).join(', ')} or ${names.at(-1)}` : names.join('');
