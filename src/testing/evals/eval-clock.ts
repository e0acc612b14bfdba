import type { Clock } from '../../core/ports/clock.ts';
import { systemClock } from '../../core/util/system-clock.ts';

/** A clock whose date stands still, so that requests with a date are equal in every run. */
export interface EvalClock extends Clock {
  /** Moves the date forward, to that of a timer. */
  moveTo(now: number): void;
}

/** Timers take real time, and move the date to their own when they fire. */
export function evalClock(startMs: number): EvalClock {
  let now = startMs;
  const moveTo = (to: number): void => {
    now = Math.max(now, to);
  };
  return {
    now: () => now,
    monotonic: systemClock.monotonic,
    moveTo,
    schedule(delayMs, callback, options = {}) {
      const due = now + delayMs;
      // a background timer, such as the renewal of a lease, depends on the speed of the machine
      const fire = (): void => {
        if (options.background !== true) moveTo(due);
        callback();
      };
      return systemClock.schedule(delayMs, fire, options);
    },
  };
}
