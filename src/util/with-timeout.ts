import type { Clock } from '../ports/clock.ts';

/** What the work gives; or, when it takes too long, what `late` gives: then it is not waited for any longer, whatever it does. */
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
    result.catch(() => {}); // one that has been left may fail later, and nobody listens
    return await Promise.race([result, tooLate]);
  } finally {
    cancel();
  }
}
