import type { FoundThread } from '../ports/run-storage.ts';
import type { NewRun, RunRecord, Settlement, ThreadRecord } from '../ports/run-store.ts';
import { threadBusy, threadLost, threadMovedOn, threadOfOtherWorkflow } from './store-errors.ts';

// Who owns a thread, who waits for it, and what becomes of its state.

/** A thread as a new run finds it. */
export interface JoinedThread {
  /** Owned by the run, unless that has to wait. */
  readonly thread: ThreadRecord;
  readonly isQueued: boolean;
}

/** @throws {WorkflowError} `THREAD_OF_OTHER_WORKFLOW`, `THREAD_BUSY`, `THREAD_LOST`. */
export function joinThread({ id, workflow, ifBusy }: NewRun, threadId: string, found: FoundThread | undefined): JoinedThread {
  assertNotLost(threadId, found);
  const thread = found?.record ?? { id: threadId, workflow, revision: 0, state: null };
  if (thread.workflow !== workflow) throw threadOfOtherWorkflow(threadId, thread.workflow);
  const first = thread.activeRun ?? found?.firstQueued;
  if (first === undefined) return { thread: { ...thread, activeRun: id }, isQueued: false };
  if (ifBusy === 'reject') throw threadBusy(threadId, first);
  return { thread, isQueued: true };
}

/**
 * The thread of a run that somebody is about to drive, owned by it.
 *
 * @throws {WorkflowError} `THREAD_BUSY`, `THREAD_MOVED_ON`, `THREAD_LOST`.
 */
export function takeThread({ id, threadId, status, threadRevision }: RunRecord, found: FoundThread | undefined): ThreadRecord | undefined {
  if (threadId === undefined) return undefined;
  const thread = found?.record;
  if (!thread) throw threadLost(threadId);
  if (thread.activeRun === id) return thread;
  const isQueued = status === 'queued';
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
  if (!thread && status === 'done') throw threadLost(threadId);
  const isEnded = status === 'done' || status === 'failed' || status === 'cancelled';
  if (thread?.activeRun !== id || (!isEnded && threadState === undefined)) return undefined;
  const { activeRun: _, ...free } = thread;
  return { ...(isEnded ? free : thread), ...(threadState === undefined ? {} : { state: threadState, revision: thread.revision + 1 }) };
}

/** @throws {WorkflowError} `THREAD_LOST` when there is none, though runs of it are there. */
export function assertNotLost(threadId: string, found: FoundThread | undefined): void {
  if (found && !found.record && found.hasRuns) throw threadLost(threadId);
}
