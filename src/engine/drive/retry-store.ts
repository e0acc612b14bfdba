import type { Clock } from '../../core/ports/clock.ts';
import { hasCode } from '../../core/util/has-code.ts';
import { growingDelay, retryWith } from '../../core/util/retryer.ts';

/** Retry policy for an unavailable store, in milliseconds. */
const storePolicy = { firstDelayMs: 50, longestDelayMs: 5_000, patienceMs: 30_000 };

export const isUnavailable = (cause: unknown): boolean => hasCode(cause, 'STORE_UNAVAILABLE');

/**
 * Retries store work with growing pauses while the store is unavailable.
 *
 * @throws the error of `work`; `STORE_UNAVAILABLE` after 30 seconds; the reason of the abort.
 */
export function retryStore<T>(work: () => T | Promise<T>, clock: Clock, signal: AbortSignal): Promise<T> {
  const giveUpAt = clock.monotonic() + storePolicy.patienceMs;
  const delayOf = (attempt: number, cause: unknown): number | undefined =>
    isUnavailable(cause) && clock.monotonic() < giveUpAt ? growingDelay(attempt, storePolicy) : undefined;
  return retryWith(delayOf, work, clock, signal);
}
