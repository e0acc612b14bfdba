import { Cron } from 'croner';
import type { JsonObject } from '../../core/ports/json.ts';
import { checkOptions, object, oneOf, optionInvalid, required, text } from '../../core/util/check-options.ts';
import { checkTimeZone } from '../../core/util/local-datetime.ts';
import type { Workflow } from '../define/define-workflow.ts';
import type { Schedule } from '../workers/schedule.ts';

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
  if (!/^[A-Za-z0-9_-]{1,40}$/.test(name)) {
    throw optionInvalid(`The name of a schedule cannot be ${JSON.stringify(name)}.`, 'Pass a name of 1 to 40 letters, digits, _ and -.');
  }
  const times = parse(name, cron, checkTimeZone(timeZone));
  const schedule: Schedule = {
    name,
    workflow: workflow as Schedule['workflow'],
    missed,
    ...(threadId === undefined ? {} : { threadId }),
    ...(metadata === undefined ? {} : { metadata }),
    inputAt: (dueMs) => (typeof input === 'function' ? (input as (dueMs: number) => TInput)(dueMs) : input),
    next: (afterMs) => times.nextRun(new Date(afterMs))?.getTime(),
    previous: (beforeMs, count) => times.previousRuns(count, new Date(beforeMs)).map((date) => date.getTime()),
  };
  if (schedule.next(0) === undefined)
    throw optionInvalid(`The schedule "${name}" never starts a run: ${cron}.`, 'Check its day and month.');
  return schedule;
}

function parse(name: string, cron: string, timezone: string): Cron {
  try {
    return new Cron(cron, { timezone, paused: true });
  } catch (cause) {
    const why = cause instanceof Error ? cause.message.replace(/^CronPattern: /, '') : String(cause);
    throw optionInvalid(
      `The times of the schedule "${name}" are invalid: ${why}`,
      "Pass five fields, or six with seconds. '0 9 * * 1-5' is 9:00 on weekdays.",
    );
  }
}
