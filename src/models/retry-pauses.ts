import type { WorkflowError } from '../core/errors/errors.ts';
import { growingDelay, retryDelay } from '../core/util/retryer.ts';
import { waitsTooLong } from './reply-error.ts';

export interface RetryPausesOptions {
  /** Maximum number of retries after a transient failure; 0 also disables waits for a busy provider. */
  readonly maxRetries: number;
  /** Time limit of all waits of one request for a busy provider, in milliseconds. */
  readonly maxRetryAfterMs: number;
  /** Random number from 0 to 1. @default Math.random */
  readonly random?: () => number;
}

const delays = { firstDelayMs: 500, longestDelayMs: 8_000 };

/** Statuses of a busy provider; 529 is Anthropic's. */
const busy = new Set<unknown>([429, 529]);

/**
 * Returns the pause after each failure of one request, in milliseconds. For a busy provider, the pause follows its request, else
 * exponential backoff with jitter, until `maxRetryAfterMs` is used up. Other failures are retried `maxRetries` times.
 *
 * @throws the failure, if it is not retried; its message names the limit if that is the reason.
 */
export function retryPauses({ maxRetries, maxRetryAfterMs, random = Math.random }: RetryPausesOptions): (failure: WorkflowError) => number {
  const policy = { ...delays, attempts: maxRetries + 1, longestRetryAfterMs: maxRetryAfterMs, random };
  let [failures, busyFailures, waitedMs] = [0, 0, 0];
  return (failure) => {
    const { retryAfterMs = 0, retryable, data } = failure;
    if (!retryable || maxRetries === 0) throw failure;
    if (!busy.has(data?.status)) {
      failures += 1;
      const delayMs = retryDelay(policy, failures, failure.toJSON());
      if (delayMs === undefined) throw failure;
      if (retryAfterMs > maxRetryAfterMs) throw waitsTooLong(failure, maxRetryAfterMs, 0);
      return delayMs;
    }
    busyFailures += 1;
    const leftMs = maxRetryAfterMs - waitedMs;
    if (leftMs <= 0 || retryAfterMs > leftMs) throw waitsTooLong(failure, maxRetryAfterMs, waitedMs);
    // prevents endless retries for a provider that keeps asking for no wait
    const isObeyed = failure.retryAfterMs !== undefined && busyFailures <= maxRetries;
    const grown = isObeyed ? 0 : growingDelay(busyFailures, delays) * (0.5 + random() / 2);
    const delayMs = Math.min(leftMs, Math.max(retryAfterMs, grown));
    waitedMs += delayMs;
    return delayMs;
  };
}
