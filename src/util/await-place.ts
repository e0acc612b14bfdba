import { WorkflowError } from '../errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { CallRate, RateLimits } from '../ports/rate-limits.ts';
import { pause } from './pause.ts';

export interface AwaitPlaceOptions extends CallRate {
  readonly limits: RateLimits;
  readonly name: string;
  readonly maxWaitMs: number;
  readonly clock: Pick<Clock, 'schedule'>;
  /** Of the error for a place that is too far. */
  readonly code: 'MODEL_UNAVAILABLE' | 'TOOL_UNAVAILABLE';
}

/** Waits until something may be begun. A place whose wait was aborted is given back. @throws {WorkflowError} `code`, with `retryAfterMs`; the reason of an abort. */
export async function awaitPlace(
  { limits, name, maxWaitMs, clock, code, calls, perMs }: AwaitPlaceOptions,
  signal: AbortSignal | undefined,
): Promise<void> {
  signal?.throwIfAborted();
  const place = await limits.take(name, { calls, perMs }, maxWaitMs);
  const { waitMs, isTaken } = place;
  if (!isTaken) throw tooLong(code, name, { calls, perMs }, Math.ceil(waitMs), maxWaitMs);
  if (waitMs <= 0) return;
  try {
    await pause(Math.ceil(waitMs), clock, signal);
  } catch (cause) {
    await Promise.resolve(limits.giveBack(name, place)).catch(() => {}); // it is lost then, which holds others back once
    throw cause;
  }
}

const tooLong = (
  code: AwaitPlaceOptions['code'],
  name: string,
  { calls, perMs }: CallRate,
  waitMs: number,
  maxWaitMs: number,
): WorkflowError =>
  new WorkflowError({
    code,
    message: `There may be ${calls} calls of "${name}" in ${perMs} ms, and the next one would have to wait ${waitMs} ms.`,
    hint: `Ask again later, or wait for longer than maxWaitMs: ${maxWaitMs}.`,
    retryable: true,
    retryAfterMs: waitMs,
    data: { name, calls, perMs, waitMs, maxWaitMs },
  });
