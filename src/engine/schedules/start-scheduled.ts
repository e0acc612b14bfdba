import { fromErrorInfo } from '../../core/errors/errors.ts';
import type { Actor } from '../../core/ports/actor.ts';
import type { RuntimeCore } from '../run/runtime-core.ts';
import { start } from '../run/start.ts';
import { runUnknown } from '../store/store-errors.ts';
import type { ScheduleRules } from './schedule-record.ts';

/**
 * Adds a run of a schedule to the store, for the workers. An existing run with this id stays as it is.
 *
 * @param by Recorded with the start. Default: the schedule.
 * @returns false if the run exists.
 * @throws {WorkflowError} `WORKFLOW_UNKNOWN`, the errors of the workflow's input, and those of the store.
 */
export async function startScheduled(
  core: RuntimeCore,
  rules: ScheduleRules,
  runId: string,
  by: Actor = { via: 'schedule', name: rules.name },
): Promise<boolean> {
  const { workflow, input, metadata } = rules;
  if (await core.store.read(runId)) return false;
  const run = start(
    core,
    await core.workflowForNew(workflow, metadata),
    input,
    {
      runId,
      drive: false,
      ...(metadata === undefined ? {} : { metadata }),
    },
    by,
  );
  const events = run.events()[Symbol.asyncIterator]();
  await events.next(); // comes after the attempt to store the run; its result may come much later
  await events.return?.();
  if (await core.store.read(runId)) return true;
  const result = await run.result;
  throw result.status === 'failed' ? fromErrorInfo(result.error) : runUnknown(runId);
}
