import { WorkflowError } from '../../core/errors/errors.ts';
import { messageOf } from '../../core/errors/message-of.ts';
import { optionInvalid } from '../../core/util/check-options.ts';
import type { LeaseVerdict } from './lease-watch.ts';

type HeldVerdict = Extract<LeaseVerdict, { readonly isFree: false }>;

// Errors of all stores.

export const runUnknown = (runId: string): WorkflowError =>
  new WorkflowError({
    code: 'RUN_UNKNOWN',
    message: `There is no run "${runId}" in this store.`,
    hint: 'Check the id against the list of runs.',
    data: { runId },
  });

export const runExists = (runId: string): WorkflowError =>
  new WorkflowError({
    code: 'RUN_EXISTS',
    message: `The run "${runId}" already exists in this store.`,
    hint: 'Give the new run another id.',
    data: { runId },
  });

export const runEnded = (runId: string, status: string): WorkflowError =>
  new WorkflowError({
    code: 'RUN_ENDED',
    message: `The run ${runId} has ended (${status}).`,
    hint: 'Start a new run, or fork this one.',
    data: { runId, status },
  });

export const runBusy = (runId: string, owner: string, { ownerMayBeGone, waitMs }: HeldVerdict): WorkflowError =>
  new WorkflowError({
    code: 'RUN_BUSY',
    message: ownerMayBeGone
      ? `The run ${runId} was last driven by ${owner}, which may still be running.`
      : `The run ${runId} is being driven by ${owner}.`,
    hint: `${ownerMayBeGone ? `Retry after ${waitMs} ms without a heartbeat` : 'Wait for it'}, or pass force: true if that process has ended.`,
    retryable: true,
    data: { runId, owner, ownerMayBeGone, waitMs },
  });

export const runBlocked = (runId: string): WorkflowError =>
  new WorkflowError({
    code: 'RUN_BUSY',
    message: `The run ${runId} is blocked by other runs.`,
    hint: 'Retry later.',
    retryable: true,
    data: { runId, heldBack: true },
  });

export const drivenUnsupported = (): WorkflowError =>
  optionInvalid('The storage cannot list the runs that are driven.', "Set across: 'worker'.");

export const runFenced = (runId: string, epoch: number): WorkflowError =>
  new WorkflowError({
    code: 'RUN_FENCED',
    message: `Another process has taken over the run ${runId} since lease ${epoch}.`,
    hint: 'Stop the work on it.',
    data: { runId, epoch },
  });

/** The lease's run is not in the store: it was removed after its end, or the store was restored from before its start. */
export const leasedRunMissing = (runId: string, epoch: number): WorkflowError =>
  new WorkflowError({
    code: 'RUN_FENCED',
    message: `The run ${runId} of lease ${epoch} is no longer in the store.`,
    hint: 'Stop the work on it. If it was not removed, check whether the database was restored from a backup, and start the run again.',
    data: { runId, epoch },
  });

/** The process knows a later state of the run than its store: a backup was restored, or the server lost confirmed commits. */
export const commitsLost = (runId: string, epoch: number, what: string): WorkflowError =>
  new WorkflowError({
    code: 'RUN_FENCED',
    message: `The store has lost commits of the run ${runId}: ${what}.`,
    hint: 'Check whether the database was restored from a backup or a replica. Resume the run to continue from the state of the store.',
    data: { runId, epoch },
  });

/** The run is at another entry than the caller expects. */
export const runChanged = (runId: string, epoch: number, seq: { readonly known: number; readonly found: number }): WorkflowError =>
  new WorkflowError({
    code: 'RUN_FENCED',
    message: `The run ${runId} has ${seq.found} entries, but its caller knows ${seq.known}.`,
    hint: 'Read the run again.',
    data: { runId, epoch, ...seq },
  });

export const threadUnknown = (threadId: string): WorkflowError =>
  new WorkflowError({
    code: 'THREAD_UNKNOWN',
    message: `There is no thread "${threadId}" in this store.`,
    hint: 'Start a run with this threadId to create the thread.',
    data: { threadId },
  });

export const threadBusy = (threadId: string, runId: string): WorkflowError =>
  new WorkflowError({
    code: 'THREAD_BUSY',
    message: `The thread ${threadId} belongs to the run ${runId} until the run ends.`,
    hint: `Wait for it, resume or cancel it, or start with ifBusy: 'queue' or 'cancel-and-replace'.`,
    retryable: true,
    data: { threadId, runId },
  });

export const threadMovedOn = (threadId: string, runId: string): WorkflowError =>
  new WorkflowError({
    code: 'THREAD_MOVED_ON',
    message: `The state of the thread ${threadId} has changed since the run ${runId} was started.`,
    hint: 'Fork the run, or start a new one.',
    data: { threadId, runId },
  });

export const threadOfOtherWorkflow = (threadId: string, workflow: string): WorkflowError =>
  new WorkflowError({
    code: 'THREAD_OF_OTHER_WORKFLOW',
    message: `The thread ${threadId} belongs to the workflow "${workflow}".`,
    hint: 'Use another thread id.',
    data: { threadId, workflow },
  });

export const journalMissing = (runId: string): WorkflowError =>
  new WorkflowError({
    code: 'JOURNAL_MISSING',
    message: `The run ${runId} has no journal.`,
    hint: 'Another program has changed the store. Restore it from a backup. The run does not restart by itself.',
    data: { runId },
  });

export const journalCorrupt = (runId: string, seq: number, what: string): WorkflowError =>
  new WorkflowError({
    code: 'JOURNAL_CORRUPT',
    message: `The journal of the run ${runId} is corrupt: entry ${seq} ${what}.`,
    hint: `Restore the store from a backup. The run does not start, and its entries before ${seq} are intact.`,
    data: { runId, seq, lastGood: seq - 1 },
  });

export const journalFull = (runId: string, entries: number): WorkflowError =>
  new WorkflowError({
    code: 'LIMIT_EXCEEDED',
    message: `The journal of the run ${runId} has ${entries} entries, which is the maximum.`,
    hint: 'Split the work into several runs.',
    data: { limit: 'journalEntries', runId },
  });

export const entryTooLarge = (path: string, cause: unknown): WorkflowError =>
  new WorkflowError({
    code: 'LIMIT_EXCEEDED',
    message: `The value is too large for the database ${path}.`,
    hint: 'Return less from a node, for example the name of a file instead of its content.',
    data: { limit: 'entryBytes' },
    cause,
  });

export const recordCorrupt = (runId: string): WorkflowError =>
  new WorkflowError({
    code: 'JOURNAL_CORRUPT',
    message: `Another program has changed the record of the run ${runId}.`,
    hint: 'Restore the store from a backup. The run does not start.',
    data: { runId },
  });

export const threadCorrupt = (threadId: string, revision: number): WorkflowError =>
  new WorkflowError({
    code: 'JOURNAL_CORRUPT',
    message: `Another program has changed the thread ${threadId}.`,
    hint: 'Restore the store from a backup, or start a new thread.',
    data: { threadId, revision },
  });

export const structureCorrupt = (hash: string): WorkflowError =>
  new WorkflowError({
    code: 'JOURNAL_CORRUPT',
    message: `Another program has changed the structure ${hash} of a machine.`,
    hint: 'Restore the store from a backup, or resume the run with the version of the workflow that started it.',
    data: { structure: hash },
  });

export const runDocumentInvalid = (what: string, place: string, cause?: unknown): WorkflowError =>
  new WorkflowError({
    code: 'RUN_DOCUMENT_INVALID',
    message: `The document of the run is invalid: ${what}.`,
    hint: 'Export the run again, and copy the file unchanged. Nothing was imported.',
    data: { place },
    cause,
  });

export const storeUnavailable = (path: string, cause: unknown): WorkflowError =>
  new WorkflowError({
    code: 'STORE_UNAVAILABLE',
    message: `The database ${path} is unavailable: ${messageOf(cause)}.`,
    hint: 'Check the path, its permissions and the disk space. Committed data is not lost.',
    retryable: true,
    cause,
  });

export const valueTooLarge = (path: string, cause: unknown): WorkflowError =>
  new WorkflowError({
    code: 'JOURNAL_CORRUPT',
    message: `The database ${path} holds, or was about to hold, a value above the size limit.`,
    hint: 'Restore the store from a backup, or keep less in the state of a thread. The value was not read.',
    cause,
  });

export const storeLost = (path: string, what: string): WorkflowError =>
  new WorkflowError({
    code: 'STORE_LOST',
    message: `The database ${path} ${what}. It was deleted, moved, replaced or restored while it was in use.`,
    hint: 'Stop the process, restore the database with its -wal file or a backup, and start again. The latest writes may be lost.',
    data: { path },
  });

export const threadLost = (threadId: string): WorkflowError =>
  new WorkflowError({
    code: 'THREAD_LOST',
    message: `The thread ${threadId} is not in the store, but its runs are.`,
    hint: 'Restore the store from a backup, or use another thread.',
    data: { threadId },
  });
