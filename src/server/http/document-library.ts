import type { ContractComparison } from '../../contracts/compare/compare-contracts.ts';
import type { Awaitable } from '../../core/ports/run-store.ts';
import type { DocumentDetails, DocumentSummary } from '../api/calls.ts';

/** Documents that the clients of one tenant have uploaded. */
export interface DocumentShelf {
  /** Reads and stores a document. @throws {WorkflowError} `DOCUMENT_INVALID` for an unreadable document. */
  add(file: { readonly name: string; readonly bytes: Uint8Array }): Awaitable<DocumentDetails>;
  /** Total size of all stored documents in bytes, for the server's limit. Absent: no limit applies. */
  sizeBytes?(): Awaitable<number>;
  /** Newest first. */
  list(): Awaitable<readonly DocumentSummary[]>;
  /** Returns the document with its text; `undefined` for an unknown id. */
  get(id: string): Awaitable<DocumentDetails | undefined>;
  /** Compares two documents, or a document with the standard. Returns `undefined` when a document is unknown or there is no standard. */
  compare(id: string, other: string | 'standard'): Awaitable<ContractComparison | undefined>;
  /** Returns false for an unknown id. */
  remove(id: string): Awaitable<boolean>;
}
