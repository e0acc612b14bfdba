import { type LoadDocumentOptions, loadDocument } from '../../documents/load-document.ts';
import type { ContractDocument } from '../contract-document.ts';
import { parseContract } from '../parse/parse-contract.ts';
import { contractFormats } from './contract-formats.ts';

/**
 * A contract or statute from a file, parsed: of every type that `loadDocument` reads, and of `contractFormats`. What the parser wonders about is in its `warnings`.
 *
 * @throws {WorkflowError} as `loadDocument`.
 * @example (await loadContract('lease.docx')).articles.map(({ label }) => label) // ['제1조', '제2조', …]
 */
export async function loadContract(file: string | URL, options: LoadDocumentOptions = {}): Promise<ContractDocument> {
  return parseContract(await loadDocument(file, { ...options, formats: { ...contractFormats, ...options.formats } }));
}
