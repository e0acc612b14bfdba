import { optionInvalid } from '../../core/util/check-options.ts';
import { cronTimes } from './cron-times.ts';
import type { ScheduleRules } from './schedule-record.ts';

const maxTimes = 1_000;

/** Returns the times of a past interval, oldest first. @throws {WorkflowError} `OPTION_INVALID`. */
export function backfillTimes(
  { name, cron, timeZone }: ScheduleRules,
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
  now: number,
): readonly number[] {
  if (fromMs >= toMs) throw optionInvalid('The interval of backfill ends before it begins.', 'Pass an end that is later.', 'toMs');
  if (toMs > now) throw optionInvalid('The interval of backfill is not over.', 'Pass an end that is not later than now.', 'toMs');
  const schedule = cronTimes(name, cron, timeZone);
  const times: number[] = [];
  for (let dueMs = schedule.next(fromMs - 1); dueMs !== undefined && dueMs < toMs; dueMs = schedule.next(dueMs)) {
    if (times.length === maxTimes) {
      const hint = `Pass a shorter interval, and continue with another one from ${new Date(dueMs).toISOString()}.`;
      throw optionInvalid(`The interval of backfill has more than ${maxTimes.toLocaleString('en')} times.`, hint, 'toMs');
    }
    times.push(dueMs);
  }
  return times;
}
