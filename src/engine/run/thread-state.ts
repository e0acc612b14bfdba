import { WorkflowError } from '../../core/errors/errors.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { Json } from '../../core/ports/json.ts';
import { hasEnded, type RunRecord, type RunStore } from '../../core/ports/run-store.ts';
import type { AnyWorkflow } from '../define/define-workflow.ts';
import { drive } from '../drive/driver.ts';
import { machineInputOf } from '../drive/migrated.ts';
import { readStart } from '../drive/start-entry.ts';
import { runUnknown, threadBusy } from '../store/store-errors.ts';
import { replayHost } from './replay-host.ts';
import { readRun, type StoredRun } from './stored-runs.ts';

/**
 * Returns the state of a run's thread before the run. A fork has it in its `start` entry. Other runs use `threadStateAt`.
 *
 * @throws {WorkflowError} the errors of `threadStateAt`.
 */
export const threadBefore = async (
  store: RunStore,
  clock: Clock,
  workflow: AnyWorkflow,
  { record, entries }: StoredRun,
): Promise<Json | undefined> => readStart(record.id, entries).thread ?? threadStateAt(store, clock, workflow, record);

/**
 * Returns the state of a thread as one of its runs has left it.
 *
 * @param after Id of the run; `null` for the state of a new thread.
 * @throws {WorkflowError} `RUN_UNKNOWN` for a run that is not in the thread, `THREAD_BUSY` for a run that has not ended; the errors of
 * `threadStateAt`.
 */
export async function threadAfter(
  store: RunStore,
  clock: Clock,
  workflow: AnyWorkflow,
  { threadId, after }: { readonly threadId: string; readonly after: string | null },
): Promise<Json> {
  const { thread } = workflow;
  if (after === null) return thread?.initial ?? null;
  const stored = await readRun(store, after);
  const { record } = stored;
  if (record.threadId !== threadId || record.workflow !== workflow.id) throw runUnknown(after);
  if (!hasEnded(record.status)) throw threadBusy(threadId, after);
  if (!thread) return null;
  const before = (await threadBefore(store, clock, workflow, stored)) ?? thread.initial;
  if (record.status !== 'done') return before;
  assertSameMachine(workflow, record, `continue after the run ${after}`);
  return thread.next(before, await replayedEnd(workflow, clock, stored, before));
}

/** Replays a run that is done, without executing nodes. */
function replayedEnd(workflow: AnyWorkflow, clock: Clock, stored: StoredRun, thread: Json): ReturnType<typeof drive> {
  const { record, entries } = stored;
  const host = replayHost(stored, clock, ({ key }) => {
    throw new WorkflowError({
      code: 'JOURNAL_DIVERGED',
      message: `The run ${record.id} cannot be replayed because "${key}" is not in its journal.`,
    });
  });
  return drive(workflow, machineInputOf(workflow, record, entries, thread), host);
}

function assertSameMachine({ structureHash }: AnyWorkflow, { id, structure, version, threadId }: RunRecord, what: string): void {
  if (structure === structureHash) return;
  throw new WorkflowError({
    code: 'JOURNAL_OF_OTHER_MACHINE',
    message: `The thread ${threadId} cannot ${what} because its run ${id} has version ${version}.`,
    hint: 'Fork a run of the current version.',
    data: { runId: id },
  });
}

/**
 * Returns the state of a run's thread before the run. The store holds only the latest state. An older one is rebuilt by replaying the
 * earlier runs, without executing nodes.
 *
 * @returns `undefined` for a run without a thread.
 * @throws {WorkflowError} `JOURNAL_OF_OTHER_MACHINE` when an earlier run belongs to another version, `JOURNAL_DIVERGED`; `JOURNAL_MISSING`
 * when some of them are not in the store.
 */
export async function threadStateAt(
  store: RunStore,
  clock: Clock,
  workflow: AnyWorkflow,
  { threadId, threadRevision }: RunRecord,
): Promise<Json | undefined> {
  if (threadId === undefined || threadRevision === undefined || !workflow.thread) return undefined;
  const thread = await store.readThread(threadId);
  if (thread?.revision === threadRevision) return thread.state;
  const runs = await store.list({ threadId, status: 'done', limit: Number.MAX_SAFE_INTEGER });
  let state: Json = workflow.thread.initial;
  let revision = 0;
  for (const run of [...runs].reverse()) {
    if ((run.threadRevision ?? 0) >= threadRevision) break;
    assertSameMachine(workflow, run, `return to revision ${threadRevision}`);
    if (run.threadRevision !== revision) break;
    const entries = await store.journal(run.id);
    const { after, thread: given } = readStart(run.id, entries);
    const before = given ?? state;
    const end = await replayedEnd(workflow, clock, { record: run, entries }, before);
    state = workflow.thread.next(before, end);
    if (state !== before || after !== undefined) revision++;
  }
  if (revision === threadRevision) return state;
  throw new WorkflowError({
    code: 'JOURNAL_MISSING',
    message: `The thread ${threadId} cannot return to revision ${threadRevision} because earlier runs are missing.`,
  });
}
