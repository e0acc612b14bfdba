import { toErrorInfo } from '../errors/errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { ErrorInfo } from '../ports/error-info.ts';
import { pause } from './pause.ts';

/** Rules of retries. */
export interface RetryPolicy {
  /** Attempts in total, the first included. Minimum: 1. @default 3 */
  readonly attempts?: number;
  /** Upper bound of the first pause in milliseconds; it doubles with each attempt. The pause is a random part of it. @default 200 */
  readonly firstDelayMs?: number;
  /** Upper bound of every pause, in milliseconds. @default 5_000 */
  readonly longestDelayMs?: number;
  /** Upper bound of a pause that an error requests (`retryAfterMs`), in milliseconds. @default 60_000 */
  readonly longestRetryAfterMs?: number;
  /** True for errors worth another attempt. @default `error.retryable` */
  readonly retryable?: (error: ErrorInfo) => boolean;
  /** From 0 to 1. @default Math.random */
  readonly random?: () => number;
}

/**
 * Pause before the next attempt, in milliseconds; `undefined` if there is none. A requested pause (`retryAfterMs`) wins, up to
 * `longestRetryAfterMs`.
 *
 * @param attempt Number of the failed attempt, from 1.
 */
export function retryDelay(policy: RetryPolicy, attempt: number, error: ErrorInfo): number | undefined {
  const { attempts = 3, firstDelayMs = 200, longestDelayMs = 5_000, longestRetryAfterMs = 60_000 } = policy;
  const { retryable = isRetryable, random = Math.random } = policy;
  if (attempt >= attempts || !retryable(error)) return undefined;
  const { retryAfterMs } = error;
  if (retryAfterMs !== undefined && retryAfterMs >= 0) return Math.min(retryAfterMs, longestRetryAfterMs);
  return random() * growingDelay(attempt, { firstDelayMs, longestDelayMs });
}

const isRetryable = ({ retryable }: ErrorInfo): boolean => retryable;

/** A pause that doubles with each attempt, in milliseconds. Also for polling. */
export const growingDelay = (
  attempt: number,
  { firstDelayMs, longestDelayMs }: { readonly firstDelayMs: number; readonly longestDelayMs: number },
): number => Math.min(longestDelayMs, firstDelayMs * 2 ** (attempt - 1));

export interface RetryOptions {
  readonly clock: Pick<Clock, 'schedule'>;
  /** Ends the pauses; its reason is thrown. */
  readonly signal?: AbortSignal | undefined;
  /** Called after each failed attempt that will be retried. */
  readonly onRetry?: (failed: { readonly attempt: number; readonly error: ErrorInfo; readonly delayMs: number }) => void;
}

/**
 * Repeats work until it succeeds, fails for good, or has used up its attempts.
 *
 * @throws the error of the last attempt; the reason of an abort.
 */
export function retry<T>(work: (attempt: number) => T | Promise<T>, policy: RetryPolicy, options: RetryOptions): Promise<T> {
  const { clock, signal, onRetry } = options;
  const delayOf = (attempt: number, cause: unknown): number | undefined => {
    signal?.throwIfAborted();
    const error = toErrorInfo(cause);
    const delayMs = retryDelay(policy, attempt, error);
    if (delayMs !== undefined) onRetry?.({ attempt, error, delayMs });
    return delayMs;
  };
  const unlessAborted = (attempt: number): T | Promise<T> => {
    signal?.throwIfAborted();
    return work(attempt);
  };
  return retryWith(delayOf, unlessAborted, clock, signal);
}

/**
 * The loop behind all retries, for policies based on time or on the error itself.
 *
 * @param delayOf Pause after a failed attempt, in milliseconds; `undefined` ends the loop.
 * @throws the error of the last attempt; in a pause, the reason of an abort.
 */
export async function retryWith<T>(
  delayOf: (attempt: number, cause: unknown) => number | undefined,
  work: (attempt: number) => T | Promise<T>,
  clock: Pick<Clock, 'schedule'>,
  signal: AbortSignal | undefined,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work(attempt);
    } catch (cause) {
      const delayMs = delayOf(attempt, cause);
      if (delayMs === undefined) throw cause;
      await pause(delayMs, clock, signal);
    }
  }
}
