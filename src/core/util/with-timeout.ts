import type { Clock } from '../ports/clock.ts';

/** Result of the work, or of `late` after the timeout; the work is abandoned then. */
export async function withTimeout<T>(
  work: () => Promise<T>,
  timeoutMs: number | undefined,
  clock: Pick<Clock, 'schedule'>,
  late: () => Promise<T>,
): Promise<T> {
  if (timeoutMs === undefined) return work();
  let cancel = (): void => {};
  const tooLate = new Promise<T>((resolve) => {
    cancel = clock.schedule(timeoutMs, () => resolve(late()));
  });
  try {
    const result = work();
    result.catch(() => {}); // abandoned work may still fail
    return await Promise.race([result, tooLate]);
  } finally {
    cancel();
  }
}
