import { type LoadDocumentOptions, loadDocument } from '../../search/documents/load-document.ts';
import type { ContractDocument } from '../contract-document.ts';
import { parseContract } from '../parse/parse-contract.ts';
import { contractFormats } from './contract-formats.ts';

/**
 * Loads and parses a contract or statute from a file. Supports every type of `loadDocument`, and `contractFormats`. The parser reports
 * doubtful passages in `warnings`.
 *
 * @throws {WorkflowError} as `loadDocument`.
 * @example (await loadContract('lease.docx')).articles.map(({ label }) => label) // ['제1조', '제2조', …]
 */
export async function loadContract(file: string | URL, options: LoadDocumentOptions = {}): Promise<ContractDocument> {
  return parseContract(await loadDocument(file, { ...options, formats: { ...contractFormats, ...options.formats } }));
}
