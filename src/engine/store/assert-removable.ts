import { WorkflowError } from '../../core/errors/errors.ts';
import type { RemovedPlace, RunRecord } from '../../core/ports/run-store.ts';
import { runUnknown, threadUnknown } from './store-errors.ts';

export const runGoesOn = (runId: string): WorkflowError =>
  new WorkflowError({ code: 'RUN_BUSY', message: `The run ${runId} has not ended.`, hint: 'Cancel it first.' });

/** @throws {WorkflowError} `RUN_UNKNOWN`, `THREAD_UNKNOWN`, `RUN_BUSY`, `RUN_IN_THREAD`. */
export function assertRemovable(place: RemovedPlace, records: readonly RunRecord[]): void {
  const [first] = records;
  if (!first) {
    if ('runId' in place) throw runUnknown(place.runId);
    throw threadUnknown(place.threadId);
  }
  const busy = records.find(({ status }) => status === 'running' || status === 'queued');
  if (busy) throw runGoesOn(busy.id);
  const { threadId } = first;
  if ('runId' in place && threadId !== undefined) {
    const message = `The run ${first.id} belongs to the thread ${threadId}, whose state depends on it.`;
    throw new WorkflowError({ code: 'RUN_IN_THREAD', message, hint: 'Remove the thread.', data: { threadId } });
  }
}
