/**
 * Waits for `work`, but no longer than `signal` allows: rejects with the signal's reason and leaves the work to itself.
 *
 * @param cancel ends the work at the abort, where it can be ended.
 */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal | undefined, cancel: () => void = () => {}): Promise<T> {
  if (!signal) return work;
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      reject(signal.reason);
      cancel();
    };
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
    void work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
