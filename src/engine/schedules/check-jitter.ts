import { optionInvalid } from '../../core/util/check-options.ts';
import type { ScheduleTimes } from './scheduled-run.ts';

const checkedTimes = 50;

/** Rejects a jitter that could change the order of two times. @throws {WorkflowError} `OPTION_INVALID`. */
export function checkJitter(name: string, jitterMs: number, times: ScheduleTimes, now: number): void {
  if (jitterMs === 0) return;
  let before = times.next(now);
  for (let checked = 0; before !== undefined && checked < checkedTimes; checked++) {
    const next = times.next(before);
    if (next !== undefined && next - before <= jitterMs) {
      throw optionInvalid(
        `The jitter of the schedule "${name}" is ${jitterMs} ms, but two of its times are ${next - before} ms apart.`,
        'Make the jitter shorter than the interval of the times.',
        'jitterMs',
      );
    }
    before = next;
  }
}
