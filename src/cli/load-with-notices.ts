import type { ContractDocument } from '../contracts/index.ts';
import { loadContract } from '../contracts/node/load-contract.ts';
import { escapeControls, paint } from './terminal.ts';

/** Loads a contract from a file, and prints notices about how it was read on standard error. */
export async function loadWithNotices(path: string): Promise<ContractDocument> {
  const contract = await loadContract(path);
  for (const { code, message } of contract.warnings) {
    if (code === 'DOCUMENT_NOTICE' || code === 'NO_ARTICLES')
      process.stderr.write(`${paint('yellow', '!')} ${escapeControls(`${path}: ${message}`)}\n`);
  }
  return contract;
}
