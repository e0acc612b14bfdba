import type { JsonObject } from '../../core/ports/json.ts';
import type { AnyWorkflow } from '../define/define-workflow.ts';

/** Schedule that starts runs of a workflow, made by `schedule` of `agent-machines/schedules`. Times are milliseconds since 1970. */
export interface Schedule {
  /** Unique among the schedules of a store, `[A-Za-z0-9_-]{1,40}`. The ids of its runs contain it. */
  readonly name: string;
  readonly workflow: AnyWorkflow;
  /** Handling of times at which no worker was running. */
  readonly missed: 'skip' | 'once' | 'all';
  readonly threadId?: string;
  readonly metadata?: JsonObject;
  /** Input of the run of a time. Must be the same for the same time in every process. */
  inputAt(dueMs: number): unknown;
  /** Returns the first time after this one, or `undefined` if there is none. */
  next(afterMs: number): number | undefined;
  /** Returns the last `count` times before this one, newest first. */
  previous(beforeMs: number, count: number): readonly number[];
}

/** Id of the run of a time. It is the same in every worker, so that the run is started once. */
export const scheduledRunId = ({ name }: Pick<Schedule, 'name'>, dueMs: number): string =>
  // Decision 370: the id is the only record of a start; there is no table of schedules.
  `${name}_${new Date(dueMs).toISOString().replace(/\.\d+/, '').replace(/[-:]/g, '')}`;

/** Returns the time of a schedule's run, or `undefined` for any other run. */
export function scheduledTime(name: string, runId: string): number | undefined {
  const parts = runId.startsWith(`${name}_`) && /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(runId.slice(name.length + 1));
  if (!parts) return undefined;
  const [, year, month, day, hour, minute, second] = parts.map(Number);
  const dueMs = Date.UTC(year ?? 0, (month ?? 0) - 1, day, hour, minute, second);
  return scheduledRunId({ name }, dueMs) === runId ? dueMs : undefined;
}
