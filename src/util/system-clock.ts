import type { Clock } from '../ports/clock.ts';

/** The longest delay that `setTimeout` takes; a longer one would fire at once. */
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
      // Node keeps a list for each length, and those of a background timer until its time has come, but for one that is none any more
      if (background && typeof timer === 'object') timer.ref();
      clearTimeout(timer);
    };
  },
};
