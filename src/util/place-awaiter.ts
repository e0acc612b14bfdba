import { WorkflowError } from '../errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { CallRate, RateLimits } from '../ports/rate-limits.ts';
import { checkCallRate } from './check-call-rate.ts';
import { checkTimeout } from './check-integer.ts';
import { pause } from './pause.ts';
import { systemClock } from './system-clock.ts';

export interface RateLimitOptions extends CallRate {
  /** Who gives out the places: `rateLimits` of `agent-machines/stores`. */
  readonly limits: RateLimits;
  /** What is counted together: all that share `limits` and this name. @default the tool's, or the model's */
  readonly name?: string;
  /** The longest that a call waits for its place, in milliseconds. @default 60_000 */
  readonly maxWaitMs?: number;
  /** @default the machine's clock */
  readonly clock?: Pick<Clock, 'schedule'>;
}

/** Of the error for a place that is too far. */
type TooFarCode = 'MODEL_UNAVAILABLE' | 'TOOL_UNAVAILABLE';

/**
 * Makes what waits until something may be begun. A place whose wait was aborted is given back.
 * @throws {WorkflowError} `OPTION_INVALID`; what it makes, `code` with `retryAfterMs`, or the reason of an abort.
 */
export function placeAwaiter(
  { limits, maxWaitMs: longest = 60_000, clock = systemClock, name: given, ...rate }: RateLimitOptions,
  ownName: string,
  code: TooFarCode,
): (signal: AbortSignal | undefined) => Promise<void> {
  const checked = checkCallRate(rate);
  const maxWaitMs = checkTimeout('maxWaitMs', longest);
  const name = given ?? ownName;
  return async (signal) => {
    signal?.throwIfAborted();
    const place = await limits.take(name, checked, maxWaitMs);
    const { waitMs, isTaken } = place;
    if (!isTaken) throw tooLong(code, name, checked, Math.ceil(waitMs), maxWaitMs);
    if (waitMs <= 0) return;
    try {
      await pause(Math.ceil(waitMs), clock, signal);
    } catch (cause) {
      await Promise.resolve(limits.giveBack(name, place)).catch(() => {}); // it is lost then, which holds others back once
      throw cause;
    }
  };
}

const tooLong = (code: TooFarCode, name: string, { calls, perMs }: CallRate, waitMs: number, maxWaitMs: number): WorkflowError =>
  new WorkflowError({
    code,
    message: `There may be ${calls} calls of "${name}" in ${perMs} ms, and the next one would have to wait ${waitMs} ms.`,
    hint: `Ask again later, or wait for longer than maxWaitMs: ${maxWaitMs}.`,
    retryable: true,
    retryAfterMs: waitMs,
    data: { name, calls, perMs, waitMs, maxWaitMs },
  });
