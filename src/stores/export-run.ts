import { WorkflowError } from '../errors.ts';
import type { StoredRun } from '../ports/run-storage.ts';
import type { JournalEntry, RunStore, ThreadRecord } from '../ports/run-store.ts';
import { checksummed, documentChecksum, type RunDocument, runDocumentFormat, runDocumentVersion } from './run-document.ts';
import { storageOf } from './storage-of.ts';
import { runUnknown } from './store-errors.ts';

export interface ExportOptions {
  /** Take a run as it stands though somebody drives it, or keeps its place in a queue: the document then says `snapshot`. @default false */
  readonly snapshot?: boolean;
}

/**
 * Makes one JSON value of a run: its record, its journal with checksums, the structure of its machine, and its thread as it stands. The
 * same run gives the same value. The run stays where it is: `importRun` makes a second one, and as long as both go on, their `once` calls
 * are two calls each. Cancel the one that is not to go on.
 *
 * @throws {WorkflowError} `RUN_UNKNOWN`; `RUN_BUSY` while somebody drives it; `JOURNAL_CORRUPT`, `JOURNAL_MISSING`, `THREAD_LOST` for what
 *   cannot be read; `OPTION_INVALID` for a store without a storage.
 * @example await writeFile('run.json', JSON.stringify(await exportRun(store, 'r_7Q2MX4A0ZK9T')), { flag: 'wx' });
 */
export async function exportRun(store: RunStore, runId: string, { snapshot = false }: ExportOptions = {}): Promise<RunDocument> {
  const { run, entries, thread, isDriven } = await readOfOneMoment(store, runId, snapshot);
  const { record } = run;
  const structure = await store.readStructure(record.structure);
  const document = {
    format: runDocumentFormat,
    version: runDocumentVersion,
    ...(isDriven ? { snapshot: true as const } : {}),
    record,
    ...(structure ? { structure } : {}),
    ...(thread ? { thread: ownedBy(record.id, thread) } : {}),
    journal: await checksummed(record.id, entries),
  } as const;
  return { ...document, checksum: await documentChecksum(document) };
}

interface Found {
  readonly run: StoredRun;
  readonly entries: readonly JournalEntry[];
  readonly thread: ThreadRecord | undefined;
  readonly isDriven: boolean;
}

/** Reads again when somebody has taken the run, or left it, meanwhile. */
async function readOfOneMoment(store: RunStore, runId: string, snapshot: boolean): Promise<Found> {
  const storage = storageOf(store);
  for (;;) {
    const run = await storage.read(runId);
    if (!run) throw runUnknown(runId);
    const { threadId, seq, epoch, status } = run.record;
    const isDriven = run.lease !== undefined && store.mayLive(run.lease.owner);
    if (isDriven && !snapshot) throw busy(runId, run.lease?.owner ?? '');
    const entries = await store.journal(runId);
    const thread = threadId === undefined ? undefined : await store.readThread(threadId);
    const after = await storage.read(runId);
    // a driven run only grows meanwhile
    if (after?.record.epoch === epoch && after.record.status === status) return { run, entries: entries.slice(0, seq), thread, isDriven };
  }
}

/** A thread without what is said of other runs: they do not come along. */
function ownedBy(runId: string, { activeRun, ...thread }: ThreadRecord): ThreadRecord {
  return activeRun === runId ? { ...thread, activeRun } : thread;
}

const busy = (runId: string, owner: string): WorkflowError =>
  new WorkflowError({
    code: 'RUN_BUSY',
    message: `The run ${runId} is being driven, or waited for, by ${owner}.`,
    hint: 'Wait for it, suspend it or cancel it; snapshot: true takes it as it stands.',
    retryable: true,
    data: { runId, owner, snapshot: true },
  });
