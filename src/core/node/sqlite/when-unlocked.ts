import type { Awaitable } from '../../ports/run-store.ts';
import { growingDelay, retryWith } from '../../util/retryer.ts';
import { systemClock } from '../../util/system-clock.ts';

/** Maximum wait of a single statement for a lock, in milliseconds; it blocks the process. */
export const lockWaitMs = 5;

/** Pauses between two attempts on a locked file. */
export const lockPolicy = { firstDelayMs: 1, longestDelayMs: 50 };

/** Works with an SQLite file, directly or, if another process locks it, with retries and non-blocking pauses. */
export function whenUnlocked<T>(work: () => T, timeoutMs: number): Awaitable<T> {
  try {
    return work();
  } catch (cause) {
    if (!isLocked(cause)) throw cause;
    return again(work, performance.now() + timeoutMs, cause);
  }
}

function again<T>(work: () => T, giveUpAt: number, first: unknown): Promise<T> {
  // random, so that two waiting processes do not collide again
  const delayOf = (attempt: number, cause: unknown): number | undefined =>
    isLocked(cause) && performance.now() < giveUpAt ? growingDelay(attempt, lockPolicy) * (0.5 + Math.random()) : undefined;
  const attempt = (number: number): T => {
    if (number === 1) throw first;
    return work();
  };
  return retryWith(delayOf, attempt, systemClock, undefined);
}

/**
 * `SQLITE_BUSY` in any extended form: a number in `node:sqlite`, a name in `better-sqlite3` and `bun:sqlite`, and only a message in Deno.
 */
export function isLocked(cause: unknown): boolean {
  if (!(cause instanceof Error)) return false;
  if ('errcode' in cause) return (Number(cause.errcode) & 0xff) === 5;
  if (!('code' in cause) || typeof cause.code !== 'string') return false;
  return cause.code.startsWith('SQLITE_BUSY') || (cause.code === 'ERR_SQLITE_ERROR' && cause.message === 'database is locked');
}
