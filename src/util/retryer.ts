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
  /** Which errors are worth another attempt. @default those that say so: `error.retryable` */
  readonly retryable?: (error: ErrorInfo) => boolean;
  /** From 0 to 1. @default Math.random */
  readonly random?: () => number;
}

/**
 * How long to wait before the next attempt, in milliseconds; `undefined` when there is none. An error that says itself how long
 * (`data.retryAfterMs`) is obeyed.
 *
 * @param attempt The number of the one that has failed, from 1.
 */
export function retryDelay(policy: RetryPolicy, attempt: number, error: ErrorInfo): number | undefined {
  const { attempts = 3, firstDelayMs = 200, longestDelayMs = 5_000, retryable = saysSo, random = Math.random } = policy;
  if (attempt >= attempts || !retryable(error)) return undefined;
  const after = error.data?.retryAfterMs;
  if (typeof after === 'number' && after >= 0) return after;
  return random() * Math.min(longestDelayMs, firstDelayMs * 2 ** (attempt - 1));
}

const saysSo = ({ retryable }: ErrorInfo): boolean => retryable;

export interface RetryOptions {
  readonly clock: Pick<Clock, 'schedule'>;
  /** Ends the pauses; what it was aborted with is thrown. */
  readonly signal: AbortSignal;
  /** Told of each attempt that is followed by another one. */
  readonly onRetry?: (failed: { readonly attempt: number; readonly error: ErrorInfo; readonly delayMs: number }) => void;
}

/**
 * Does something until it succeeds, fails for good, or its attempts are used up.
 *
 * @throws what the last attempt threw; the reason of an abort.
 */
export async function retry<T>(
  work: (attempt: number) => Promise<T>,
  policy: RetryPolicy,
  { clock, signal, onRetry }: RetryOptions,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    signal.throwIfAborted();
    let delayMs: number | undefined;
    try {
      return await work(attempt);
    } catch (cause) {
      signal.throwIfAborted();
      const error = toErrorInfo(cause);
      delayMs = retryDelay(policy, attempt, error);
      if (delayMs === undefined) throw cause;
      onRetry?.({ attempt, error, delayMs });
    }
    await pause(delayMs, clock, signal);
  }
}
