import type { JsonObject } from '../../core/ports/json.ts';
import { checkOptions, object, oneOf, optionInvalid, required, text } from '../../core/util/check-options.ts';
import type { Workflow } from '../define/define-workflow.ts';
import { cronTimes } from './cron-times.ts';
import { assertScheduleName, type Schedule } from './scheduled-run.ts';

export interface ScheduleOptions {
  /** Cron pattern with five fields (minute, hour, day, month, day of the week), or six with the second in front. @example '0 9 * * 1-5' */
  readonly cron: string;
  /** IANA time zone of the fields, such as `Asia/Seoul`. */
  readonly timeZone: string;
  /**
   * Handling of times at which no worker was running: `skip` starts nothing, `once` starts the last time, `all` starts each time, 100 at
   * most.
   * @default 'once'
   */
  readonly missed?: 'skip' | 'once' | 'all';
  /** Unique among the schedules of a store, `[A-Za-z0-9_-]{1,40}`. The ids of its runs contain it. @default the workflow's id */
  readonly name?: string;
  /** Conversation of its runs. Each run waits until the one before it has ended. Default: none. */
  readonly threadId?: string;
  /** Metadata stored with each run. It must not contain secrets. */
  readonly metadata?: JsonObject;
}

/** A misspelt `timeZone` otherwise starts runs at the hours of another zone. */
const scheduleOptions = {
  cron: required(text),
  timeZone: text,
  missed: oneOf('skip', 'once', 'all'),
  name: text,
  threadId: text,
  metadata: object,
};

/**
 * Starts a workflow at scheduled times, once each regardless of the number of workers: `createWorker({ schedules: [ … ] })`.
 *
 * When a clock is set forward, a skipped time becomes the first one after the gap. When it is set back, a repeated time counts as its first
 * occurrence. A field that repeats within the hour or every hour counts both hours.
 *
 * @param input Input of each run, or a function of the run's time in milliseconds since 1970. It must return the same input for the same
 * time.
 * @throws {WorkflowError} `OPTION_INVALID` for an invalid pattern, name or option, and for a pattern that never matches; `TIME_ZONE_UNKNOWN`.
 * @example schedule(report, { input: 'yesterday' }, { cron: '0 9 * * 1-5', timeZone: 'Asia/Seoul' })
 */
export function schedule<TInput, TState, TOutput>(
  workflow: Workflow<TInput, TState, TOutput>,
  input: TInput | ((dueMs: number) => TInput),
  options: ScheduleOptions,
): Schedule {
  if (typeof workflow?.structureHash !== 'string')
    throw optionInvalid('The value is not a workflow.', 'Pass a workflow from defineWorkflow.');
  checkOptions('schedule', options, scheduleOptions);
  const { cron, timeZone, missed = 'once', name = workflow.id, threadId, metadata } = options;
  assertScheduleName(name);
  return {
    name,
    workflow: workflow as Schedule['workflow'],
    missed,
    cron,
    timeZone,
    ...(threadId === undefined ? {} : { threadId }),
    ...(metadata === undefined ? {} : { metadata }),
    inputAt: (dueMs) => (typeof input === 'function' ? (input as (dueMs: number) => TInput)(dueMs) : input),
    ...cronTimes(name, cron, timeZone),
  };
}
