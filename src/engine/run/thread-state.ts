import { WorkflowError } from '../../core/errors/errors.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { Json } from '../../core/ports/json.ts';
import type { RunRecord, RunStore } from '../../core/ports/run-store.ts';
import type { AnyWorkflow } from '../define/define-workflow.ts';
import { drive } from '../drive/driver.ts';
import { machineInputOf } from '../drive/migrated.ts';
import { readStart } from '../drive/start-entry.ts';
import { replayHost } from './replay-host.ts';
import type { StoredRun } from './stored-runs.ts';

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
    if (run.structure !== workflow.structureHash) {
      throw new WorkflowError({
        code: 'JOURNAL_OF_OTHER_MACHINE',
        message: `The thread ${threadId} cannot return to revision ${threadRevision} because its run ${run.id} has version ${run.version}.`,
        hint: 'Fork a run of the current version.',
        data: { runId: run.id },
      });
    }
    if (run.threadRevision !== revision) break;
    const entries = await store.journal(run.id);
    const host = replayHost({ record: run, entries }, clock, ({ key }) => {
      throw new WorkflowError({
        code: 'JOURNAL_DIVERGED',
        message: `The run ${run.id} cannot be replayed because "${key}" is not in its journal.`,
      });
    });
    const end = await drive(workflow, machineInputOf(workflow, run, entries, state), host);
    const next: Json = workflow.thread.next(state, end);
    if (next !== state) revision++;
    state = next;
  }
  if (revision === threadRevision) return state;
  throw new WorkflowError({
    code: 'JOURNAL_MISSING',
    message: `The thread ${threadId} cannot return to revision ${threadRevision} because earlier runs are missing.`,
  });
}
