import type { Awaitable } from '../ports/run-store.ts';

/** How long a statement may wait for a lock by itself, in milliseconds: nothing else of the process goes on meanwhile. */
export const lockWaitMs = 5;

/** The longest pause between two attempts, in milliseconds. */
const longestPauseMs = 50;

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

async function again<T>(work: () => T, giveUpAt: number, first: unknown): Promise<T> {
  let cause = first;
  for (let pauseMs = 1; performance.now() < giveUpAt; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
    // two that wait for each other should not meet again
    await new Promise((resolve) => setTimeout(resolve, pauseMs * (0.5 + Math.random())));
    try {
      return work();
    } catch (found) {
      cause = found;
      if (!isLocked(cause)) break;
    }
  }
  throw cause;
}

/** `SQLITE_BUSY`, however extended: a number of `node:sqlite`, a name of `better-sqlite3`. */
export function isLocked(cause: unknown): boolean {
  if (!(cause instanceof Error)) return false;
  if ('errcode' in cause) return (Number(cause.errcode) & 0xff) === 5;
  return 'code' in cause && typeof cause.code === 'string' && cause.code.startsWith('SQLITE_BUSY');
}
