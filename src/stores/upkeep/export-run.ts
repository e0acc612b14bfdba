import { WorkflowError } from '../../core/errors/errors.ts';
import type { StoredRun } from '../../core/ports/run-storage.ts';
import type { JournalEntry, RunStore, ThreadRecord } from '../../core/ports/run-store.ts';
import { runUnknown } from '../../engine/store/store-errors.ts';
import { checksummed, documentChecksum, type RunDocument, runDocumentFormat, runDocumentVersion } from './run-document.ts';
import { storageOf } from './storage-of.ts';

export interface ExportOptions {
  /** Allows exporting a run that is being driven or queued. The document is then marked `snapshot`. @default false */
  readonly snapshot?: boolean;
}

/**
 * Exports a run as one JSON value: its record, its journal with checksums, the structure of its machine, and the current state of its
 * thread. The same run gives the same value. The run stays in its store, and `importRun` makes a second one. If both continue, their `once`
 * calls run twice, so cancel one of them.
 *
 * @throws {WorkflowError} `RUN_UNKNOWN`; `RUN_BUSY` while the run is being driven; `JOURNAL_CORRUPT`, `JOURNAL_MISSING`, `THREAD_LOST` if
 * data cannot be read; `OPTION_INVALID` for a store without a storage.
 * @example await writeFile('run.json', JSON.stringify(await exportRun(store, 'r_7Q2MX4A0ZK9T')), { flag: 'wx' });
 */
export async function exportRun(store: RunStore, runId: string, { snapshot = false }: ExportOptions = {}): Promise<RunDocument> {
  const { run, entries, thread, isDriven } = await readConsistently(store, runId, snapshot);
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

interface ConsistentRun {
  readonly run: StoredRun;
  readonly entries: readonly JournalEntry[];
  readonly thread: ThreadRecord | undefined;
  readonly isDriven: boolean;
}

/** Reads a run consistently. Retries if its epoch or status changes during the read. */
async function readConsistently(store: RunStore, runId: string, snapshot: boolean): Promise<ConsistentRun> {
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
    // while it is driven, a run only appends entries
    if (after?.record.epoch === epoch && after.record.status === status) return { run, entries: entries.slice(0, seq), thread, isDriven };
  }
}

/** Omits `activeRun` when another run owns the thread. */
function ownedBy(runId: string, { activeRun, ...thread }: ThreadRecord): ThreadRecord {
  return activeRun === runId ? { ...thread, activeRun } : thread;
}

const busy = (runId: string, owner: string): WorkflowError =>
  new WorkflowError({
    code: 'RUN_BUSY',
    message: `The run ${runId} is driven or reserved by ${owner}.`,
    hint: 'Wait for it, suspend it or cancel it, or pass snapshot: true to export its current state.',
    retryable: true,
    data: { runId, owner, snapshot: true },
  });
