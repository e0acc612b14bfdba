import { WorkflowError } from '../errors.ts';
import type { Clock } from '../ports/clock.ts';
import { pause } from '../util/pause.ts';

/** The first pause, the longest one, and how long it is tried in all, in milliseconds. */
const triesMs = { first: 50, longest: 5_000, all: 30_000 };

export const isUnavailable = (cause: unknown): boolean => WorkflowError.isInstance(cause) && cause.code === 'STORE_UNAVAILABLE';

/**
 * Does something with a store again, after growing pauses, while that cannot be used.
 *
 * @throws what `work` throws; `STORE_UNAVAILABLE` after half a minute; the reason of the abort.
 */
export async function patiently<T>(work: () => T | Promise<T>, clock: Clock, signal: AbortSignal): Promise<T> {
  const giveUpAt = clock.monotonic() + triesMs.all;
  for (let pauseMs = triesMs.first; ; pauseMs = Math.min(2 * pauseMs, triesMs.longest)) {
    try {
      return await work();
    } catch (cause) {
      if (!isUnavailable(cause) || clock.monotonic() >= giveUpAt) throw cause;
    }
    await pause(pauseMs, clock, signal);
  }
}
