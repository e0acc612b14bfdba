import type { Clock } from '../ports/clock.ts';

/** Longest delay that `setTimeout` accepts; a longer one would fire immediately. */
const longestTimeoutMs = 2 ** 31 - 1;

/** The machine's own clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  schedule(delayMs, callback, { background = false } = {}) {
    let timer: ReturnType<typeof setTimeout>;
    const wait = (remainingMs: number): void => {
      timer = setTimeout(
        () => (remainingMs > longestTimeoutMs ? wait(remainingMs - longestTimeoutMs) : callback()),
        Math.min(remainingMs, longestTimeoutMs),
      );
      // a browser's timer is a number and never keeps anything alive
      if (background && typeof timer === 'object') timer.unref();
    };
    wait(delayMs);
    return () => {
      // Decision 407: Node frees the list of an elapsed timer's duration only if the timer is referenced
      if (background && typeof timer === 'object') timer.ref();
      clearTimeout(timer);
    };
  },
};
