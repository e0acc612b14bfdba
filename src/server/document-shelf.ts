import type { DocumentDetails, DocumentSummary } from '../api/calls.ts';
import type { ContractComparison } from '../contracts/compare/compare-contracts.ts';
import type { Awaitable } from '../ports/run-store.ts';

/** Documents that clients have given, of one tenant. */
export interface DocumentShelf {
  /** Reads and keeps one. @throws {WorkflowError} `DOCUMENT_INVALID` for one that cannot be read. */
  add(file: { readonly name: string; readonly bytes: Uint8Array }): Awaitable<DocumentDetails>;
  /** Bytes of all that it keeps, for the server's limit. Absent: there is none. */
  sizeBytes?(): Awaitable<number>;
  /** The latest first. */
  list(): Awaitable<readonly DocumentSummary[]>;
  /** With its text; `undefined` for an unknown one. */
  get(id: string): Awaitable<DocumentDetails | undefined>;
  /** What differs between two, or between one and the standard; `undefined` when one is unknown, or there is no standard. */
  compare(id: string, other: string | 'standard'): Awaitable<ContractComparison | undefined>;
  /** False for an unknown one. */
  remove(id: string): Awaitable<boolean>;
}
