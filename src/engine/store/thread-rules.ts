import type { FoundThread } from '../../core/ports/run-storage.ts';
import { hasEnded, type NewRun, type RunRecord, type Settlement, type ThreadRecord } from '../../core/ports/run-store.ts';
import { threadBusy, threadMovedOn, threadOfOtherWorkflow } from './store-errors.ts';

// Rules of threads: ownership, queue and state.

/**
 * Returns the thread of a new run. The run owns it unless it has to wait.
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
 * Returns the thread of a run to drive, owned by that run.
 *
 * @throws {WorkflowError} `THREAD_BUSY`, `THREAD_MOVED_ON`, `THREAD_LOST`.
 */
export function takeThread({ id, threadId, status, threadRevision }: RunRecord, found: FoundThread | undefined): ThreadRecord | undefined {
  if (threadId === undefined) return undefined;
  const thread = found?.record;
  if (!thread) throw found?.lost ?? threadMovedOn(threadId, id);
  if (thread.activeRun === id) return thread;
  // a run without a revision never owned the thread: a process took it out of the queue to end it, and died before that
  const isQueued = status === 'queued' || threadRevision === undefined;
  const first = thread.activeRun ?? (isQueued ? found?.firstQueued : id);
  if (first !== undefined && first !== id) throw threadBusy(threadId, first);
  if (!isQueued && threadRevision !== thread.revision) throw threadMovedOn(threadId, id);
  return { ...thread, activeRun: id };
}

/**
 * Returns the changed thread of a suspended run; `undefined` if it does not change.
 * @throws {WorkflowError} `THREAD_LOST` if a turn would be lost with it.
 */
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
