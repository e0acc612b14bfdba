import type { Clock } from '../ports/clock.ts';

/** A time limit that is set anew far more often than it is reached. */
export interface LazyTimer {
  /** Calls `reached` after `delayMs`, in place of what was set before. */
  set(delayMs: number, reached: () => void): void;
  cancel(): void;
}

/** Returns a timer for which a later limit costs no timer of the clock: the one that is running waits for the rest when it fires. */
export function lazyTimer(clock: Pick<Clock, 'schedule' | 'monotonic'>, options: { readonly background?: boolean } = {}): LazyTimer {
  let due: { readonly at: number; readonly reached: () => void } | undefined;
  /** Time at which the clock's timer fires; none is running at infinity. */
  let firesAt = Number.POSITIVE_INFINITY;
  let stop = (): void => {};
  const wait = (delayMs: number): void => {
    firesAt = clock.monotonic() + delayMs;
    stop = clock.schedule(delayMs, fire, options);
  };
  const fire = (): void => {
    firesAt = Number.POSITIVE_INFINITY;
    if (!due) return;
    const left = due.at - clock.monotonic();
    if (left > 0) {
      wait(left);
      return;
    }
    const { reached } = due;
    due = undefined;
    reached();
  };
  return {
    set(delayMs, reached) {
      const at = clock.monotonic() + delayMs;
      due = { at, reached };
      if (at >= firesAt) return;
      stop();
      wait(delayMs);
    },
    cancel() {
      due = undefined;
      firesAt = Number.POSITIVE_INFINITY;
      stop();
    },
  };
}
