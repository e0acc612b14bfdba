import { toErrorInfo } from '../errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { ErrorInfo } from '../ports/error-info.ts';
import { pause } from './pause.ts';

/** When something that has failed is tried again. */
export interface RetryPolicy {
  /** Attempts in total, the first included. Minimum: 1. @default 3 */
  readonly attempts?: number;
  /** The longest pause after the first attempt, in milliseconds; it doubles with each. A random part of it is waited. @default 200 */
  readonly firstDelayMs?: number;
  /** What it does not grow beyond, in milliseconds. @default 5_000 */
  readonly longestDelayMs?: number;
  /** The longest pause that an error may ask for (`retryAfterMs`), in milliseconds; of a longer one, this much is waited. @default 60_000 */
  readonly longestRetryAfterMs?: number;
  /** Which errors are worth another attempt. @default those that say so: `error.retryable` */
  readonly retryable?: (error: ErrorInfo) => boolean;
  /** From 0 to 1. @default Math.random */
  readonly random?: () => number;
}

/**
 * How long to wait before the next attempt, in milliseconds; `undefined` when there is none. An error that says itself how long
 * (`retryAfterMs`) is obeyed, up to `longestRetryAfterMs`.
 *
 * @param attempt The number of the one that has failed, from 1.
 */
export function retryDelay(policy: RetryPolicy, attempt: number, error: ErrorInfo): number | undefined {
  const { attempts = 3, firstDelayMs = 200, longestDelayMs = 5_000, longestRetryAfterMs = 60_000 } = policy;
  const { retryable = saysSo, random = Math.random } = policy;
  if (attempt >= attempts || !retryable(error)) return undefined;
  const { retryAfterMs } = error;
  if (retryAfterMs !== undefined && retryAfterMs >= 0) return Math.min(retryAfterMs, longestRetryAfterMs);
  return random() * growingDelay(attempt, { firstDelayMs, longestDelayMs });
}

const saysSo = ({ retryable }: ErrorInfo): boolean => retryable;

/** A pause that doubles with each attempt, in milliseconds. Also for loops that look again and again without an error. */
export const growingDelay = (
  attempt: number,
  { firstDelayMs, longestDelayMs }: { readonly firstDelayMs: number; readonly longestDelayMs: number },
): number => Math.min(longestDelayMs, firstDelayMs * 2 ** (attempt - 1));

export interface RetryOptions {
  readonly clock: Pick<Clock, 'schedule'>;
  /** Ends the pauses; what it was aborted with is thrown. */
  readonly signal?: AbortSignal | undefined;
  /** Told of each attempt that is followed by another one. */
  readonly onRetry?: (failed: { readonly attempt: number; readonly error: ErrorInfo; readonly delayMs: number }) => void;
}

/**
 * Does something until it succeeds, fails for good, or its attempts are used up.
 *
 * @throws what the last attempt threw; the reason of an abort.
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
 * The loop of all retries, for those whose policy is no `RetryPolicy`: it ends with a time, or decides by what was thrown itself.
 *
 * @param delayOf How long to wait after an attempt has failed, in milliseconds; `undefined` = there is no other one.
 * @throws what the last attempt threw; in a pause, the reason of an abort.
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
