import type { Clock } from '../core/ports/clock.ts';
import { nextTurn } from '../core/util/next-turn.ts';

/** A clock that only moves when a test advances it. */
export interface FakeClock extends Clock {
  /** Advances the time and fires due timers in order. After each one, waits until its work has settled. */
  advance(ms: number): Promise<void>;
}

/**
 * Creates a clock for tests.
 * @param startMs Initial time, in milliseconds since 1970. @default 0
 */
export function fakeClock(startMs = 0): FakeClock {
  let now = startMs;
  let timers: { readonly due: number; readonly callback: () => void }[] = [];
  return {
    now: () => now,
    monotonic: () => now - startMs,
    schedule(delayMs, callback) {
      const timer = { due: now + Math.max(0, delayMs), callback };
      timers.push(timer);
      return () => {
        timers = timers.filter((other) => other !== timer);
      };
    },
    async advance(ms) {
      const end = now + ms;
      for (;;) {
        await settled();
        const next = timers.filter(({ due }) => due <= end).sort((a, b) => a.due - b.due)[0];
        if (!next) break;
        timers = timers.filter((timer) => timer !== next);
        now = Math.max(now, next.due);
        next.callback();
      }
      now = end;
      await settled();
    },
  };
}

/** Lets ready promises continue. One turn of the event loop is enough for any number of them. */
export const settled: () => Promise<void> = nextTurn;
