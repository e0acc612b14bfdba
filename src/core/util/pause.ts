import type { Clock } from '../ports/clock.ts';
import type { RunWatch } from '../ports/run-store.ts';

/** Waits. @throws the reason of an abort, at once. */
export function pause(delayMs: number, clock: Pick<Clock, 'schedule'>, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const stop = (): void => {
      cancel();
      reject(signal?.reason);
    };
    const cancel = clock.schedule(delayMs, () => {
      signal?.removeEventListener('abort', stop);
      resolve();
    });
    signal?.addEventListener('abort', stop, { once: true });
  });
}

/** Watch of a store without notifications: it only waits. */
export const pollingWatch: RunWatch = { pause, stop() {} };
