import { Cron } from 'croner';
import { optionInvalid } from '../../core/util/check-options.ts';
import { checkTimeZone } from '../../core/util/local-datetime.ts';
import type { ScheduleTimes } from './scheduled-run.ts';

/**
 * Returns the times of a cron pattern.
 *
 * @throws {WorkflowError} `OPTION_INVALID` for an invalid pattern, and for one that never matches; `TIME_ZONE_UNKNOWN`.
 */
export function cronTimes(name: string, cron: string, timeZone: string): ScheduleTimes {
  const times = parse(name, cron, checkTimeZone(timeZone));
  if (!times.nextRun(new Date(0))) throw optionInvalid(`The schedule "${name}" never starts a run: ${cron}.`, 'Check its day and month.');
  return {
    next: (afterMs) => times.nextRun(new Date(afterMs))?.getTime(),
    previous: (beforeMs, count) => times.previousRuns(count, new Date(beforeMs)).map((date) => date.getTime()),
  };
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
