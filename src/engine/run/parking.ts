import { toErrorInfo, WorkflowError } from '../../core/errors/errors.ts';
import type { ErrorInfo } from '../../core/ports/error-info.ts';
import { isParked } from '../../core/ports/fleet-state.ts';
import type { JournalEntry, RunRecord } from '../../core/ports/run-store.ts';

/** Returns why a run is parked, with the last error of its journal. `undefined` when it is not parked. */
export const parkedBecause = (record: RunRecord, entries: readonly JournalEntry[]): ErrorInfo | undefined =>
  isParked(record) ? toErrorInfo(runPoisoned(record, entries)) : undefined;

export function runPoisoned({ id, crashes }: Pick<RunRecord, 'id' | 'crashes'>, entries: readonly JournalEntry[]): WorkflowError {
  const at = entries.at(-1);
  const lastError = entries
    .flatMap(({ events }) => events.flatMap((event) => ('error' in event && event.error ? [event.error] : [])))
    .at(-1);
  const place = at ? `after entry ${at.seq} (${at.key})` : 'at the same place';
  const error = lastError ? ` Its last error was ${lastError.code}: ${lastError.message}` : '';
  return new WorkflowError({
    code: 'RUN_POISONED',
    message: `The run ${id} is parked because it crashed its process ${crashes} times ${place}.${error}`,
    hint: 'Read the last entry of its journal, and remove the cause. Then release the run, or resume it with force.',
    data: {
      runId: id,
      crashes,
      ...(at ? { seq: at.seq, key: at.key } : {}),
      ...(lastError ? { lastError: { code: lastError.code, message: lastError.message } } : {}),
    },
  });
}
