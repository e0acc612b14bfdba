import type { JsonObject } from '../ports/json.ts';
import type { AnyWorkflow } from '../workflow/define-workflow.ts';

/** When runs of a workflow are to be started: what `schedule` of `agent-machines/schedules` makes. Times are milliseconds since 1970. */
export interface Schedule {
  /** Unique among the schedules of a store, `[A-Za-z0-9_-]{1,40}`: its runs are known by it. */
  readonly name: string;
  readonly workflow: AnyWorkflow;
  /** What is done about times at which no worker was there. */
  readonly missed: 'skip' | 'once' | 'all';
  readonly threadId?: string;
  readonly metadata?: JsonObject;
  /** What the run of a time is started with: the same for the same time, wherever it is asked. */
  inputAt(dueMs: number): unknown;
  /** The first time after this one; `undefined`: never again. */
  next(afterMs: number): number | undefined;
  /** The last times before this one, newest first. */
  previous(beforeMs: number, count: number): readonly number[];
}

/** The id of the run of a time: the same in every worker, so that it is started once. */
export const scheduledRunId = ({ name }: Pick<Schedule, 'name'>, dueMs: number): string =>
  `${name}_${new Date(dueMs).toISOString().replace(/\.\d+/, '').replace(/[-:]/g, '')}`;

/** The time of a run of a schedule; `undefined` for any other run. */
export function scheduledTime(name: string, runId: string): number | undefined {
  const parts = runId.startsWith(`${name}_`) && /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(runId.slice(name.length + 1));
  if (!parts) return undefined;
  const [, year, month, day, hour, minute, second] = parts.map(Number);
  const dueMs = Date.UTC(year ?? 0, (month ?? 0) - 1, day, hour, minute, second);
  return scheduledRunId({ name }, dueMs) === runId ? dueMs : undefined;
}
