import { WorkflowError } from '../../core/errors/errors.ts';
import type { FoundRun, FoundThread, RunChange } from '../../core/ports/run-storage.ts';
import type { RunRecord, RunStore, ThreadRecord } from '../../core/ports/run-store.ts';
import { canonicalJson } from '../../core/util/canonical-json.ts';
import { hasCode } from '../../core/util/has-code.ts';
import { threadBusy, threadOfOtherWorkflow } from '../../engine/store/store-errors.ts';
import { checkRunDocument } from './check-run-document.ts';
import { exportRun } from './export-run.ts';
import type { RunDocument } from './run-document.ts';
import { storageOf } from './storage-of.ts';

/** Result of an import. */
export interface ImportedRun {
  readonly record: RunRecord;
  /** False if the store already had the same run; nothing was written. */
  readonly isNew: boolean;
  /** True if the document was exported while the run was being driven. */
  readonly isSnapshot: boolean;
}

/**
 * Adds the run of a document to a store, at the point that the document records. A worker resumes a run that was driven or queued, or whose
 * timer is due. A waiting run can be answered. Record, journal and thread are written in one transaction. A missing thread is created. An
 * existing thread must equal the one in the document; the import may only make the run its owner.
 *
 * @param document result of `exportRun`, or its JSON text.
 * @throws {WorkflowError} `RUN_DOCUMENT_INVALID` for an invalid or modified document; `STORE_VERSION` for one of a newer version;
 * `RUN_EXISTS` if the store has another run with the id, or the same run at another entry; `THREAD_MOVED_ON`, `THREAD_BUSY`,
 * `THREAD_OF_OTHER_WORKFLOW`, `THREAD_LOST`; `OPTION_INVALID` for a store without a storage.
 * @example const { record, isNew } = await importRun(store, await readFile('run.json', 'utf8'));
 */
export async function importRun(store: RunStore, document: unknown): Promise<ImportedRun> {
  const checked = await checkRunDocument(document);
  const storage = storageOf(store);
  const { record, structure, journal, snapshot } = checked;
  const entries = journal.map(({ checksum: _, ...entry }) => entry);
  const place = { runId: record.id, threadId: record.threadId, reads: 'queue', keyId: '' } as const;
  // stored under its own hash, so an unused structure does no harm
  if (structure) await store.saveStructure(record.structure, structure);
  const result = { record, isSnapshot: snapshot === true };
  try {
    await storage.change(place, (found): RunChange => ({ run: { record }, entries, thread: joined(checked, found) }));
    return { ...result, isNew: true };
  } catch (cause) {
    // the conflict may come from the same run, imported concurrently
    if (!hasCode(cause, 'RUN_EXISTS', 'THREAD_BUSY', 'THREAD_MOVED_ON') || !(await store.read(record.id))) throw cause;
    if (await isThere(store, checked)) return { ...result, isNew: false };
    throw exists(record.id);
  }
}

/** Thread after the import; `undefined` if the import does not change it. */
function joined({ record, thread }: RunDocument, { run, thread: found }: FoundRun): ThreadRecord | undefined {
  if (run) throw exists(record.id);
  if (!thread) return undefined;
  if (found?.lost) throw found.lost;
  const there = found?.record;
  if (!there) return thread;
  if (there.workflow !== thread.workflow) throw threadOfOtherWorkflow(thread.id, there.workflow);
  if (there.revision !== thread.revision || canonicalJson(there.state) !== canonicalJson(thread.state))
    throw movedOn(record.id, thread, there);
  if (thread.activeRun === undefined) return undefined;
  assertFree(thread.id, found);
  return { ...there, activeRun: thread.activeRun };
}

function assertFree(threadId: string, { record, firstQueued }: FoundThread): void {
  const first = record?.activeRun ?? firstQueued;
  if (first !== undefined) throw threadBusy(threadId, first);
}

/** True when the store has the run of a document at the same entry. */
async function isThere(store: RunStore, { record, journal }: RunDocument): Promise<boolean> {
  const there = await exportRun(store, record.id, { snapshot: true });
  // the last checksum covers all entries before it
  return there.journal.at(-1)?.checksum === journal.at(-1)?.checksum && same(there.record, record);
}

const same = (a: RunRecord, b: RunRecord): boolean => canonicalJson({ ...a }) === canonicalJson({ ...b });

const exists = (runId: string): WorkflowError =>
  new WorkflowError({
    code: 'RUN_EXISTS',
    message: `A run "${runId}" already exists in this store, and it differs from the document.`,
    hint: 'Compare it with the document. Nothing was written.',
    data: { runId },
  });

const movedOn = (runId: string, { id, revision }: ThreadRecord, there: ThreadRecord): WorkflowError =>
  new WorkflowError({
    code: 'THREAD_MOVED_ON',
    message: `The run ${runId} cannot join the thread ${id}, which differs: revision ${there.revision} in this store, ${revision} in the document.`,
    hint: 'Import it into a store without that thread, or start a new run.',
    data: { threadId: id, runId, revision, found: there.revision },
  });
