import type { JsonObject } from '../../core/ports/json.ts';
import type { JournalEntry, RunRecord, ThreadRecord } from '../../core/ports/run-store.ts';
import { sha256 } from '../../core/util/sha256.ts';

export const runDocumentFormat = 'agent-machines/run';

/** Newest version of the document format that this package reads. */
export const runDocumentVersion = 1;

/** Journal entry with a checksum over its run and all entries before it. */
export type ExportedEntry = JournalEntry & { readonly checksum: string };

/** One run as a JSON value, as `exportRun` returns it. Contains everything that the run stores: texts of users, models and tools. */
export interface RunDocument {
  readonly format: typeof runDocumentFormat;
  readonly version: typeof runDocumentVersion;
  /** True if the run was being driven. It may have continued in its original store. */
  readonly snapshot?: true;
  readonly record: RunRecord;
  /** Structure of the machine. Absent if the store had none for the hash. */
  readonly structure?: JsonObject;
  /** Thread at the time of the export, with `activeRun` only if this run owns it. */
  readonly thread?: ThreadRecord;
  readonly journal: readonly ExportedEntry[];
  /** Checksum of all other fields. It detects accidental changes. An attacker can recompute it. */
  readonly checksum: string;
}

/** Initial value of a journal's checksum chain. */
export const firstChecksum = (runId: string): string => `${runDocumentFormat} ${runDocumentVersion} ${runId}`;

/** Checksum of an entry. It covers all entries before it. */
export const entryChecksum = (before: string, entry: JournalEntry): Promise<string> => sha256(`${before}\n${JSON.stringify(entry)}`);

/** Checksum of a document. The last entry's checksum represents the journal. */
export const documentChecksum = ({ journal, ...rest }: Omit<RunDocument, 'checksum'>): Promise<string> =>
  sha256(JSON.stringify({ ...rest, journal: journal.at(-1)?.checksum ?? null }));

/** Adds checksums to a journal. */
export async function checksummed(runId: string, entries: readonly JournalEntry[]): Promise<readonly ExportedEntry[]> {
  const exported: ExportedEntry[] = [];
  let before = firstChecksum(runId);
  for (const entry of entries) {
    before = await entryChecksum(before, entry);
    exported.push({ ...entry, checksum: before });
  }
  return exported;
}
