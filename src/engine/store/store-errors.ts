import { WorkflowError } from '../../core/errors/errors.ts';
import type { LeaseVerdict } from './lease-watch.ts';

type HeldVerdict = Extract<LeaseVerdict, { readonly isFree: false }>;

// Errors of all stores.

export const runUnknown = (runId: string): WorkflowError =>
  new WorkflowError({
    code: 'RUN_UNKNOWN',
    message: `There is no run "${runId}" in this store.`,
    hint: 'Look at the list of runs.',
    data: { runId },
  });

export const runExists = (runId: string): WorkflowError =>
  new WorkflowError({
    code: 'RUN_EXISTS',
    message: `There is a run "${runId}" in this store already.`,
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
      ? `The run ${runId} was last driven by ${owner}, which may still be at work.`
      : `The run ${runId} is being driven by ${owner}.`,
    hint: `${ownerMayBeGone ? `Ask again: it is free after ${waitMs} ms without a sign of life` : 'Wait for it'}, or pass force: true when that process is gone.`,
    retryable: true,
    data: { runId, owner, ownerMayBeGone, waitMs },
  });

export const runHeldBack = (runId: string): WorkflowError =>
  new WorkflowError({
    code: 'RUN_BUSY',
    message: `The run ${runId} is held back by others.`,
    hint: 'Ask again.',
    retryable: true,
    data: { runId, heldBack: true },
  });

export const drivenUnsupported = (): WorkflowError =>
  new WorkflowError({
    code: 'OPTION_INVALID',
    message: 'The storage does not say which runs are driven.',
    hint: "Count across: 'worker'.",
  });

export const runFenced = (runId: string, epoch: number): WorkflowError =>
  new WorkflowError({
    code: 'RUN_FENCED',
    message: `Somebody else has taken over the run ${runId} since the lease ${epoch}.`,
    hint: 'Stop working on it.',
    data: { runId, epoch },
  });

/** The lease's run is not in the store: it was removed after its end, or the store was restored from before its start. */
export const drivenRunGone = (runId: string, epoch: number): WorkflowError =>
  new WorkflowError({
    code: 'RUN_FENCED',
    message: `The store does not have the run ${runId} any more, which the lease ${epoch} writes to.`,
    hint: 'Stop working on it. If it was not removed, look whether the database was restored from a backup, and start it again.',
    data: { runId, epoch },
  });

/** The process knows a later state of the run than its store: a backup was restored, or the server lost confirmed commits. */
export const commitsLost = (runId: string, epoch: number, what: string): WorkflowError =>
  new WorkflowError({
    code: 'RUN_FENCED',
    message: `The store has lost commits of the run ${runId}: ${what}.`,
    hint: 'Look whether the database was restored from a backup or a replica. Resume the run: it goes on from what the store has.',
    data: { runId, epoch },
  });

/** The run is at another entry than the caller expects. */
export const runMovedOn = (runId: string, epoch: number, seq: { readonly known: number; readonly found: number }): WorkflowError =>
  new WorkflowError({
    code: 'RUN_FENCED',
    message: `The run ${runId} has ${seq.found} entries, and its caller knew ${seq.known}: somebody has changed it since.`,
    hint: 'Read the run again.',
    data: { runId, epoch, ...seq },
  });

export const threadUnknown = (threadId: string): WorkflowError =>
  new WorkflowError({
    code: 'THREAD_UNKNOWN',
    message: `There is no thread "${threadId}" in this store.`,
    hint: 'A thread is made by the first run that names it.',
    data: { threadId },
  });

export const threadBusy = (threadId: string, runId: string): WorkflowError =>
  new WorkflowError({
    code: 'THREAD_BUSY',
    message: `The thread ${threadId} belongs to the run ${runId} until that has ended.`,
    hint: `Wait for it, resume or cancel it, or start with ifBusy: 'queue' or 'cancel-and-replace'.`,
    retryable: true,
    data: { threadId, runId },
  });

export const threadMovedOn = (threadId: string, runId: string): WorkflowError =>
  new WorkflowError({
    code: 'THREAD_MOVED_ON',
    message: `The thread ${threadId} has another state than when the run ${runId} was started.`,
    hint: 'Fork the run, or ask again in a new one.',
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
    hint: 'The store was changed by something else; restore it from a backup. It is not started again by itself.',
    data: { runId },
  });

export const journalCorrupt = (runId: string, seq: number, what: string): WorkflowError =>
  new WorkflowError({
    code: 'JOURNAL_CORRUPT',
    message: `The journal of the run ${runId} does not hold: entry ${seq} ${what}.`,
    hint: `Nothing of it is run. Restore the store from a backup; what stands before entry ${seq} is sound.`,
    data: { runId, seq, lastGood: seq - 1 },
  });

export const journalFull = (runId: string, entries: number): WorkflowError =>
  new WorkflowError({
    code: 'LIMIT_EXCEEDED',
    message: `The journal of the run ${runId} has ${entries} entries, which is the most.`,
    hint: 'Share the work out to several runs.',
    data: { limit: 'journalEntries', runId },
  });

export const entryTooLarge = (path: string, cause: unknown): WorkflowError =>
  new WorkflowError({
    code: 'LIMIT_EXCEEDED',
    message: `The database ${path} takes no value of that size.`,
    hint: 'Return less from a node, for example the name of a file instead of what is in it.',
    data: { limit: 'entryBytes' },
    cause,
  });

export const recordCorrupt = (runId: string): WorkflowError =>
  new WorkflowError({
    code: 'JOURNAL_CORRUPT',
    message: `The record of the run ${runId} was changed by something else.`,
    hint: 'Nothing of it is run. Restore the store from a backup.',
    data: { runId },
  });

export const threadCorrupt = (threadId: string, revision: number): WorkflowError =>
  new WorkflowError({
    code: 'JOURNAL_CORRUPT',
    message: `The thread ${threadId} was changed by something else.`,
    hint: 'Restore the store from a backup, or start a new thread.',
    data: { threadId, revision },
  });

export const structureCorrupt = (hash: string): WorkflowError =>
  new WorkflowError({
    code: 'JOURNAL_CORRUPT',
    message: `The structure ${hash} of a machine was changed by something else.`,
    hint: 'Restore the store from a backup, or resume the run with the version of the workflow that it was started with.',
    data: { structure: hash },
  });

export const runDocumentInvalid = (what: string, place: string, cause?: unknown): WorkflowError =>
  new WorkflowError({
    code: 'RUN_DOCUMENT_INVALID',
    message: `The document of a run cannot be used: ${what}.`,
    hint: 'Nothing of it was kept. Export the run once more, and bring the file over unchanged.',
    data: { place },
    cause,
  });

export const storeUnavailable = (path: string, cause: unknown): WorkflowError =>
  new WorkflowError({
    code: 'STORE_UNAVAILABLE',
    message: `The database ${path} cannot be used: ${cause instanceof Error ? cause.message : String(cause)}.`,
    hint: 'Look at the path, its permissions and the space on the disk. Nothing that was committed is lost.',
    retryable: true,
    cause,
  });

export const valueTooLarge = (path: string, cause: unknown): WorkflowError =>
  new WorkflowError({
    code: 'JOURNAL_CORRUPT',
    message: `The database ${path} has, or should have got, a value that is larger than any that is kept.`,
    hint: 'Nothing of it is read. Restore the store from a backup, or keep less in the state of a thread.',
    cause,
  });

export const storeLost = (path: string, what: string): WorkflowError =>
  new WorkflowError({
    code: 'STORE_LOST',
    message: `The database ${path} ${what}: it was deleted, moved, replaced or restored while it was in use.`,
    hint: 'Stop the process, restore the database with its -wal file, or a backup, and start again. What was written last may be lost.',
    data: { path },
  });

export const threadLost = (threadId: string): WorkflowError =>
  new WorkflowError({
    code: 'THREAD_LOST',
    message: `The thread ${threadId} is not in the store, but runs of it are.`,
    hint: 'Restore the store from a backup, or go on in another thread.',
    data: { threadId },
  });
