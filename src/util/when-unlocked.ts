/**
 * Does something with a SQLite file again while another process locks it. SQLite waits for most locks by itself, but not for the one
 * that it needs to turn a new file into one with a write-ahead log.
 */
export function whenUnlocked<T>(work: () => T, timeoutMs: number): T {
  const giveUpAt = performance.now() + timeoutMs;
  for (;;) {
    try {
      return work();
    } catch (cause) {
      if (!isLocked(cause) || performance.now() >= giveUpAt) throw cause;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5 + Math.random() * 10);
    }
  }
}

/** `SQLITE_BUSY`, however extended. */
export const isLocked = (cause: unknown): boolean => cause instanceof Error && 'errcode' in cause && (Number(cause.errcode) & 0xff) === 5;
