import type { FoundThread } from '../ports/run-storage.ts';
import { hasEnded, type NewRun, type RunRecord, type Settlement, type ThreadRecord } from '../ports/run-store.ts';
import { threadBusy, threadMovedOn, threadOfOtherWorkflow } from './store-errors.ts';

// Who owns a thread, who waits for it, and what becomes of its state.

/**
 * The thread of a new run, owned by it unless it has to wait.
 *
 * @throws {WorkflowError} `THREAD_OF_OTHER_WORKFLOW`, `THREAD_BUSY`, `THREAD_LOST`.
 */
export function joinThread({ id, workflow, ifBusy }: NewRun, threadId: string, found: FoundThread | undefined): ThreadRecord {
  if (found?.lost) throw found.lost;
  const thread = found?.record ?? { id: threadId, workflow, revision: 0, state: null };
  if (thread.workflow !== workflow) throw threadOfOtherWorkflow(threadId, thread.workflow);
  const first = thread.activeRun ?? found?.firstQueued;
  if (first === undefined) return { ...thread, activeRun: id };
  if (ifBusy === 'reject') throw threadBusy(threadId, first);
  return thread;
}

/**
 * The thread of a run that somebody is about to drive, owned by it.
 *
 * @throws {WorkflowError} `THREAD_BUSY`, `THREAD_MOVED_ON`, `THREAD_LOST`.
 */
export function takeThread({ id, threadId, status, threadRevision }: RunRecord, found: FoundThread | undefined): ThreadRecord | undefined {
  if (threadId === undefined) return undefined;
  const thread = found?.record;
  if (!thread) throw found?.lost ?? threadMovedOn(threadId, id);
  if (thread.activeRun === id) return thread;
  // one that was taken out of the queue to be ended, by a process that has died before it did: it has never had the thread
  const isQueued = status === 'queued' || threadRevision === undefined;
  const first = thread.activeRun ?? (isQueued ? found?.firstQueued : id);
  if (first !== undefined && first !== id) throw threadBusy(threadId, first);
  if (!isQueued && threadRevision !== thread.revision) throw threadMovedOn(threadId, id);
  return { ...thread, activeRun: id };
}

/** The thread of a run that is suspended, when that changes it. @throws {WorkflowError} `THREAD_LOST` when a turn would be lost with it. */
export function leaveThread(
  { id, threadId }: RunRecord,
  { status, threadState }: Settlement,
  found: FoundThread | undefined,
): ThreadRecord | undefined {
  if (threadId === undefined) return undefined;
  const thread = found?.record;
  if (found?.lost && status === 'done') throw found.lost;
  const isEnded = hasEnded(status);
  if (thread?.activeRun !== id || (!isEnded && threadState === undefined)) return undefined;
  const { activeRun: _, ...free } = thread;
  return { ...(isEnded ? free : thread), ...(threadState === undefined ? {} : { state: threadState, revision: thread.revision + 1 }) };
}
