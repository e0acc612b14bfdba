import type { JsonObject } from '../ports/json.ts';
import type { JournalEntry, RunRecord, ThreadRecord } from '../ports/run-store.ts';

export const runDocumentFormat = 'agent-machines/run';

/** The newest version that is known. */
export const runDocumentVersion = 1;

/** An entry of a journal, tied to its run and to all entries before it. */
export type ExportedEntry = JournalEntry & { readonly checksum: string };

/** One run as one JSON value, as `exportRun` makes it. It holds all that the run holds: what users, models and tools have said. */
export interface RunDocument {
  readonly format: typeof runDocumentFormat;
  readonly version: typeof runDocumentVersion;
  /** The run was being driven: it has gone on since in the store that it comes from. */
  readonly snapshot?: true;
  readonly record: RunRecord;
  /** Of its machine; absent when the store had none under the hash. */
  readonly structure?: JsonObject;
  /** Its thread as it stood; with `activeRun` when the run owns it. */
  readonly thread?: ThreadRecord;
  readonly journal: readonly ExportedEntry[];
  /** Of all else. It finds what was changed by accident, and does not keep out somebody who can compute it. */
  readonly checksum: string;
}

const utf8 = new TextEncoder();

/** SHA-256, in hexadecimal. */
async function digest(text: string): Promise<string> {
  const bytes = new Uint8Array(await crypto.subtle.digest('SHA-256', utf8.encode(text)));
  let digits = '';
  for (const byte of bytes) digits += byte.toString(16).padStart(2, '0');
  return digits;
}

/** What a journal of this run begins with instead of a checksum. */
export const firstChecksum = (runId: string): string => `${runDocumentFormat} ${runDocumentVersion} ${runId}`;

/** The checksum of an entry, which is one of all before it. */
export const entryChecksum = (before: string, entry: JournalEntry): Promise<string> => digest(`${before}\n${JSON.stringify(entry)}`);

/** The checksum of a document: its journal stands in it by the last entry's. */
export const documentChecksum = ({ journal, ...rest }: Omit<RunDocument, 'checksum'>): Promise<string> =>
  digest(JSON.stringify({ ...rest, journal: journal.at(-1)?.checksum ?? null }));

/** A journal with its checksums. */
export async function checksummed(runId: string, entries: readonly JournalEntry[]): Promise<readonly ExportedEntry[]> {
  const exported: ExportedEntry[] = [];
  let before = firstChecksum(runId);
  for (const entry of entries) {
    before = await entryChecksum(before, entry);
    exported.push({ ...entry, checksum: before });
  }
  return exported;
}
