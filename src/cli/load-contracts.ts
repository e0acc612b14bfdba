import type { ContractDocument } from '../contracts/index.ts';
import { WorkflowError } from '../core/errors/errors.ts';
import { type ContractFile, contractFiles } from './contract-files.ts';
import { loadWithNotices } from './load-with-notices.ts';
import { escapeControls, paint } from './terminal.ts';

/** Number of files that are read at the same time. Most formats take a process each. */
const atOnce = 4;
const maxListed = 10;

export interface LoadedContract {
  readonly id: string;
  readonly contract: ContractDocument;
}

/**
 * Loads the contracts of `--contract`. Files in a folder that cannot be read, or are of another type, are reported on standard error.
 * @throws {WorkflowError} as `contractFiles`; as `loadContract` for a file that was given by its name; `DOCUMENT_INVALID` if no file of
 * the folders can be read.
 */
export async function loadContracts(values: readonly string[]): Promise<readonly LoadedContract[]> {
  const { files, ignored } = await contractFiles(values);
  const loaded: (LoadedContract | undefined)[] = [];
  const entries = files.entries();
  const reader = async (): Promise<void> => {
    for (const [at, file] of entries) loaded[at] = await load(file);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, files.length) }, reader));
  if (ignored.length > 0) {
    const more = ignored.length > maxListed ? ` and ${ignored.length - maxListed} more` : '';
    warn(`not read, because of the type or a link: ${ignored.slice(0, maxListed).join(', ')}${more}`);
  }
  const contracts = loaded.flatMap((contract) => contract ?? []);
  if (contracts.length > 0) return contracts;
  throw new WorkflowError({
    code: 'DOCUMENT_INVALID',
    message: `None of the ${files.length} files of --contract can be read.`,
    hint: 'The warnings name the reason of each.',
  });
}

async function load({ path, name, isFound }: ContractFile): Promise<LoadedContract | undefined> {
  try {
    return { id: name, contract: await loadWithNotices(path) };
  } catch (error) {
    if (!isFound || !WorkflowError.isInstance(error)) throw error;
    warn(`${path} is not read: ${error.message}`);
    return undefined;
  }
}

const warn = (message: string): void => void process.stderr.write(`${paint('yellow', '!')} ${escapeControls(message)}\n`);
