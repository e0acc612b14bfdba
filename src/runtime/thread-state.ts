import { WorkflowError } from '../errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { Json } from '../ports/json.ts';
import type { RunRecord, RunStore } from '../ports/run-store.ts';
import type { AnyWorkflow } from '../workflow/define-workflow.ts';
import { drive } from './driver.ts';
import { replayHost } from './replay-host.ts';
import { readStart } from './start-entry.ts';

/**
 * The state of a run's thread as the run found it. Only the latest state is stored; an older one is made again by replaying the runs
 * before it, in which nothing is executed.
 *
 * @returns `undefined` for a run without a thread.
 * @throws {WorkflowError} `JOURNAL_OF_OTHER_MACHINE` when an earlier run belongs to another version, `JOURNAL_DIVERGED`.
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
  for (const run of [...runs].reverse()) {
    if ((run.threadRevision ?? 0) >= threadRevision) break;
    if (run.structure !== workflow.structureHash) {
      throw new WorkflowError({
        code: 'JOURNAL_OF_OTHER_MACHINE',
        message: `The thread ${threadId} cannot be taken back to revision ${threadRevision}: its run ${run.id} belongs to version ${run.version}.`,
        hint: 'Fork a run of the current version.',
        data: { runId: run.id },
      });
    }
    const entries = await store.journal(run.id);
    const host = replayHost({ record: run, entries }, clock, ({ key }) => {
      throw new WorkflowError({
        code: 'JOURNAL_DIVERGED',
        message: `The run ${run.id} cannot be replayed: "${key}" is not in its journal.`,
      });
    });
    const { input } = readStart(run.id, entries);
    const end = await drive(workflow, workflow.toMachineInput(input, { runId: run.id, startedAt: run.startedAt, thread: state }), host);
    state = workflow.thread.next(state, end);
  }
  return state;
}
