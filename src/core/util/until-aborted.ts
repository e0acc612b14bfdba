/**
 * Waits for `work` until `signal` aborts; rejects with the signal's reason and abandons the work then.
 *
 * @param cancel stops the work on abort, if it can be stopped.
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
