import type { Clock } from '../ports/clock.ts';
import { nextTurn } from '../util/next-turn.ts';

/** A clock that stands still until it is told to go on. */
export interface FakeClock extends Clock {
  /** Moves the time, and calls what falls due on the way, in its order. Waits between two calls until what they started has settled. */
  advance(ms: number): Promise<void>;
}

/**
 * Makes a clock for tests.
 * @param startMs the time it shows at first, in milliseconds since 1970. @default 0
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

/** Lets promises that are ready go on; a turn of the event loop is more than any number of them needs. */
export const settled: () => Promise<void> = nextTurn;
