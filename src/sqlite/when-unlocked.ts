import type { Awaitable } from '../ports/run-store.ts';
import { growingDelay, retryWith } from '../util/retryer.ts';
import { systemClock } from '../util/system-clock.ts';

/** How long a statement may wait for a lock by itself, in milliseconds: nothing else of the process goes on meanwhile. */
export const lockWaitMs = 5;

/** How a file that another process locks is tried again. */
const lockPolicy = { firstDelayMs: 1, longestDelayMs: 50 };

/**
 * Does something with a SQLite file: at once, and when another process locks it again and again, with pauses in which the process can do
 * other things.
 */
export function whenUnlocked<T>(work: () => T, timeoutMs: number): Awaitable<T> {
  try {
    return work();
  } catch (cause) {
    if (!isLocked(cause)) throw cause;
    return again(work, performance.now() + timeoutMs, cause);
  }
}

function again<T>(work: () => T, giveUpAt: number, first: unknown): Promise<T> {
  // two that wait for each other should not meet again
  const delayOf = (attempt: number, cause: unknown): number | undefined =>
    isLocked(cause) && performance.now() < giveUpAt ? growingDelay(attempt, lockPolicy) * (0.5 + Math.random()) : undefined;
  const attempt = (number: number): T => {
    if (number === 1) throw first;
    return work();
  };
  return retryWith(delayOf, attempt, systemClock, undefined);
}

/** `SQLITE_BUSY`, however extended: a number of `node:sqlite`, a name of `better-sqlite3` and `bun:sqlite`, and words alone of Deno's. */
export function isLocked(cause: unknown): boolean {
  if (!(cause instanceof Error)) return false;
  if ('errcode' in cause) return (Number(cause.errcode) & 0xff) === 5;
  if (!('code' in cause) || typeof cause.code !== 'string') return false;
  return cause.code.startsWith('SQLITE_BUSY') || (cause.code === 'ERR_SQLITE_ERROR' && cause.message === 'database is locked');
}
