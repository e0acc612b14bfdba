import type { WorkflowError } from '../errors.ts';
import { growingDelay, retryDelay } from '../util/retryer.ts';
import { waitsTooLong } from './reply-error.ts';

export interface RetryPausesOptions {
  /** Attempts after the first for what may pass; 0 also forbids waiting for a busy provider. */
  readonly maxRetries: number;
  /** Longest time that one request waits for a busy provider in all, in milliseconds. */
  readonly maxRetryAfterMs: number;
  /** From 0 to 1. @default Math.random */
  readonly random?: () => number;
}

const delays = { firstDelayMs: 500, longestDelayMs: 8_000 };

/** Statuses of a provider that is busy: 529 is Anthropic's. */
const busy = new Set<unknown>([429, 529]);

/**
 * Decides how long one request waits after each failure, in milliseconds. A busy provider is waited for as long as it asks, or
 * exponentially with jitter, until `maxRetryAfterMs` is used up; other failures are retried `maxRetries` times.
 *
 * @throws the failure, if it is not retried; its message says so when the limit is the reason.
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
    // a provider that keeps asking for no wait is not asked without end
    const isObeyed = failure.retryAfterMs !== undefined && busyFailures <= maxRetries;
    const grown = isObeyed ? 0 : growingDelay(busyFailures, delays) * (0.5 + random() / 2);
    const delayMs = Math.min(leftMs, Math.max(retryAfterMs, grown));
    waitedMs += delayMs;
    return delayMs;
  };
}
