import { statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, extname, join, relative, sep } from 'node:path';
import { maxContracts } from '../../machines/contract-agent/max-contracts.ts';
import { WorkflowError } from '../core/errors/errors.ts';
import { systemCode } from '../core/node/files/system-code.ts';
import { optionInvalid } from '../core/util/check-options.ts';
import { readContractFlag } from './contract-flag.ts';

/** A file of `--contract`. */
export interface ContractFile {
  readonly path: string;
  /** Name in answers: given, or the path in its folder without the extension. */
  readonly name: string;
  /** True if it was found in a folder, so that an unreadable one is only reported. */
  readonly isFound: boolean;
}

export interface ContractFiles {
  readonly files: readonly ContractFile[];
  /** Files in folders that are not contracts or cannot be one. */
  readonly ignored: readonly string[];
}

const extensions = new Set(['.txt', '.md', '.mdx', '.markdown', '.docx', '.pdf', '.hwpx', '.odt', '.rtf', '.html', '.htm', '.json']);

/**
 * Lists the files of `--contract`: each file, and the documents in each folder and its subfolders, without hidden ones and links.
 * @throws {WorkflowError} `FILE_NOT_FOUND` for an empty folder; `OPTION_INVALID` for too many files, or two with one name.
 */
export async function contractFiles(values: readonly string[]): Promise<ContractFiles> {
  const files: ContractFile[] = [];
  const ignored: string[] = [];
  for (const value of values) {
    const { name, path } = readContractFlag(value);
    if (!isFolder(path)) {
      files.push({ path, name: name ?? bare(basename(path)), isFound: false });
      continue;
    }
    const inside = await documentsIn(path);
    if (inside.documents.length === 0) {
      throw new WorkflowError({
        code: 'FILE_NOT_FOUND',
        message: `The folder ${JSON.stringify(path)} has no contract.`,
        hint: `Put files of these types into it: ${[...extensions].join(', ')}.`,
      });
    }
    const prefix = name === undefined ? '' : `${name}/`;
    files.push(...inside.documents.map((document) => ({ path: join(path, document), name: prefix + bare(document), isFound: true })));
    ignored.push(...inside.ignored.map((document) => join(path, document)));
  }
  if (files.length > maxContracts) {
    throw optionInvalid(
      `--contract gives ${files.length} files, more than ${maxContracts}.`,
      'Give a folder with fewer, such as those of one kind.',
    );
  }
  return { files: withDifferentNames(files), ignored };
}

const bare = (name: string): string => (extname(name) === '' ? name : name.slice(0, -extname(name).length)).split(sep).join('/');

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return false; // reading the file reports the reason
  }
}

async function documentsIn(folder: string): Promise<{ readonly documents: readonly string[]; readonly ignored: readonly string[] }> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  const names = entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => ({ name: relative(folder, join(entry.parentPath, entry.name)), isFile: entry.isFile() }))
    .filter(({ name }) => !name.split(sep).some((part) => part.startsWith('.') || part.startsWith('~$') || part === 'node_modules'))
    .sort((one, other) => (one.name < other.name ? -1 : 1));
  const isDocument = ({ name, isFile }: (typeof names)[number]): boolean => isFile && extensions.has(extname(name).toLowerCase());
  return {
    documents: names.filter(isDocument).map(({ name }) => name),
    ignored: names.filter((entry) => !isDocument(entry)).map(({ name }) => name),
  };
}

/** `lease.docx` and `lease.pdf` keep their extensions. @throws {WorkflowError} `OPTION_INVALID` for two files with one name. */
function withDifferentNames(files: readonly ContractFile[]): readonly ContractFile[] {
  const count = (names: readonly string[]): ReadonlyMap<string, number> =>
    names.reduce((counts, name) => counts.set(name, (counts.get(name) ?? 0) + 1), new Map<string, number>());
  const short = count(files.map(({ name }) => name));
  const named = files.map((file) => ((short.get(file.name) ?? 0) > 1 ? { ...file, name: file.name + extname(file.path) } : file));
  const long = count(named.map(({ name }) => name));
  const twice = named.filter(({ name }) => (long.get(name) ?? 0) > 1);
  const [first] = twice;
  if (first === undefined) return named;
  throw optionInvalid(
    `Several contracts have the name ${JSON.stringify(first.name)}: ${twice
      .filter(({ name }) => name === first.name)
      .map(({ path }) => path)
      .join(', ')}.`,
    'Name them: --contract NAME=FILE.',
  );
}
