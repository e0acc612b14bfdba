import { shorten } from '../../core/errors/shorten.ts';
import type { JsonObject } from '../../core/ports/json.ts';
import { optionInvalid } from '../../core/util/check-options.ts';
import type { AnyWorkflow } from '../define/define-workflow.ts';

/** Times of a schedule, in milliseconds since 1970. */
export interface ScheduleTimes {
  /** Returns the first time after this one, or `undefined` if there is none. */
  next(afterMs: number): number | undefined;
  /** Returns the last `count` times before this one, newest first. */
  previous(beforeMs: number, count: number): readonly number[];
}

/** Schedule that starts runs of a workflow, made by `schedule` of `agent-machines/schedules`. Times are milliseconds since 1970. */
export interface Schedule extends ScheduleTimes {
  /** Unique among the schedules of a store, `[A-Za-z0-9_-]{1,40}`. The ids of its runs contain it. */
  readonly name: string;
  readonly workflow: AnyWorkflow;
  /** Handling of times at which no worker was running. */
  readonly missed: 'skip' | 'once' | 'all';
  /** Pattern of the times, for display. */
  readonly cron?: string;
  /** IANA name of the pattern's time zone, for display. */
  readonly timeZone?: string;
  readonly threadId?: string;
  readonly metadata?: JsonObject;
  /** Input of the run of a time. Must be the same for the same time in every process. */
  inputAt(dueMs: number): unknown;
}

/** @throws {WorkflowError} `OPTION_INVALID`. */
export function assertScheduleName(name: unknown): void {
  if (typeof name === 'string' && /^[A-Za-z0-9_-]{1,40}$/.test(name)) return;
  throw optionInvalid(
    `The name of a schedule cannot be ${shorten(JSON.stringify(name) ?? 'undefined', 100)}.`,
    'Pass a name of 1 to 40 letters, digits, _ and -.',
  );
}

/** Id of the run of a time. It is the same in every worker, so that the run is started once. */
export const scheduledRunId = ({ name }: Pick<Schedule, 'name'>, dueMs: number): string =>
  // Decision 370: the id is the record of a start.
  `${name}_${new Date(dueMs).toISOString().replace(/\.\d+/, '').replace(/[-:]/g, '')}`;

/** Returns the time of a schedule's run, or `undefined` for any other run. */
export function scheduledTime(name: string, runId: string): number | undefined {
  const parts = runId.startsWith(`${name}_`) && /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(runId.slice(name.length + 1));
  if (!parts) return undefined;
  const [, year, month, day, hour, minute, second] = parts.map(Number);
  const dueMs = Date.UTC(year ?? 0, (month ?? 0) - 1, day, hour, minute, second);
  return scheduledRunId({ name }, dueMs) === runId ? dueMs : undefined;
}
