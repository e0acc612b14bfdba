import { WorkflowError } from '../errors.ts';
import type { FoundRun, FoundThread, RunChange } from '../ports/run-storage.ts';
import type { RunRecord, RunStore, ThreadRecord } from '../ports/run-store.ts';
import { canonicalJson } from '../util/canonical-json.ts';
import { hasCode } from '../util/has-code.ts';
import { checkRunDocument } from './check-run-document.ts';
import { exportRun } from './export-run.ts';
import type { RunDocument } from './run-document.ts';
import { storageOf } from './storage-of.ts';
import { threadBusy, threadOfOtherWorkflow } from './store-errors.ts';

/** What has become of a document. */
export interface ImportedRun {
  readonly record: RunRecord;
  /** False: the very same run was there already, and nothing was written. */
  readonly isNew: boolean;
  /** The document was made while somebody drove the run. */
  readonly isSnapshot: boolean;
}

/**
 * Adds the run of a document to a store, as far as it was: a worker goes on with one that was driven or queued, or whose timer is due, and
 * one that waits can be answered. Record, journal and thread are one transaction. A thread is made when it is not there, and joined when it
 * stands as in the document; it is never changed otherwise.
 *
 * @param document what `exportRun` has returned, or its JSON text.
 * @throws {WorkflowError} `RUN_DOCUMENT_INVALID` for what is none, or was changed; `STORE_VERSION` for one of a newer version; `RUN_EXISTS`
 *   for another run of its id, or the same one that is not as far; `THREAD_MOVED_ON`, `THREAD_BUSY`, `THREAD_OF_OTHER_WORKFLOW`,
 *   `THREAD_LOST`; `OPTION_INVALID` for a store without a storage.
 * @example const { record, isNew } = await importRun(store, await readFile('run.json', 'utf8'));
 */
export async function importRun(store: RunStore, document: unknown): Promise<ImportedRun> {
  const checked = await checkRunDocument(document);
  const storage = storageOf(store);
  const { record, structure, journal, snapshot } = checked;
  const entries = journal.map(({ checksum: _, ...entry }) => entry);
  const place = { runId: record.id, threadId: record.threadId, reads: 'queue' } as const;
  // under the hash of itself, so one that no run needs does no harm
  if (structure) await store.saveStructure(record.structure, structure);
  const result = { record, isSnapshot: snapshot === true };
  try {
    await storage.change(place, (found): RunChange => ({ run: { record }, entries, thread: joined(checked, found) }));
    return { ...result, isNew: true };
  } catch (cause) {
    // what refuses its thread may be the run itself, that somebody else has imported meanwhile
    if (!hasCode(cause, 'RUN_EXISTS', 'THREAD_BUSY', 'THREAD_MOVED_ON') || !(await store.read(record.id))) throw cause;
    if (await isThere(store, checked)) return { ...result, isNew: false };
    throw exists(record.id);
  }
}

/** The thread as it is after the import, when that changes it. */
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

/** Whether the store has the very run of a document, as far as it. */
async function isThere(store: RunStore, { record, journal }: RunDocument): Promise<boolean> {
  const there = await exportRun(store, record.id, { snapshot: true });
  // a checksum is one of all entries before it
  return there.journal.at(-1)?.checksum === journal.at(-1)?.checksum && same(there.record, record);
}

const same = (a: RunRecord, b: RunRecord): boolean => canonicalJson({ ...a }) === canonicalJson({ ...b });

const exists = (runId: string): WorkflowError =>
  new WorkflowError({
    code: 'RUN_EXISTS',
    message: `There is a run "${runId}" in this store already: another one, or the same at another place of its way.`,
    hint: 'Nothing was written. Look at the run that is there.',
    data: { runId },
  });

const movedOn = (runId: string, { id, revision }: ThreadRecord, there: ThreadRecord): WorkflowError =>
  new WorkflowError({
    code: 'THREAD_MOVED_ON',
    message: `The thread ${id} is at revision ${there.revision} in this store and at ${revision} in the document, or says something else, so the run ${runId} does not belong to it.`,
    hint: 'Import it into a store without that thread, or ask again in a new run.',
    data: { threadId: id, runId, revision, found: there.revision },
  });
