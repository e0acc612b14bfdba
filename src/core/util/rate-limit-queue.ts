import { WorkflowError } from '../errors/errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { CallPlace, CallRate, RateLimits } from '../ports/rate-limits.ts';
import { checkCallRate } from './check-call-rate.ts';
import { checkTimeout } from './check-integer.ts';
import { pause } from './pause.ts';
import { systemClock } from './system-clock.ts';

export interface RateLimitOptions extends CallRate {
  /** Assigns the places: `rateLimits` of `agent-machines/stores`. */
  readonly limits: RateLimits;
  /** Name of the shared count: all users of `limits` with this name share it. @default the tool's, or the model's */
  readonly name?: string;
  /** Maximum wait for a place, in milliseconds. @default 60_000 */
  readonly maxWaitMs?: number;
  /** @default the machine's clock */
  readonly clock?: Pick<Clock, 'schedule'> & Partial<Pick<Clock, 'monotonic'>>;
}

type TooFarCode = 'MODEL_UNAVAILABLE' | 'TOOL_UNAVAILABLE';

/**
 * Returns a function that waits until a call may start. It returns the place after an abort, and takes another one if its moment has passed
 * while the process was busy. A late burst would otherwise meet the next one in one window.
 * @throws {WorkflowError} `OPTION_INVALID`; the function throws `code` with `retryAfterMs`, or the reason of an abort.
 */
export function rateLimitQueue(
  { limits, maxWaitMs: longest = 60_000, clock = systemClock, name: given, ...rate }: RateLimitOptions,
  ownName: string,
  code: TooFarCode,
): (signal: AbortSignal | undefined) => Promise<void> {
  const checked = checkCallRate(rate);
  const maxWaitMs = checkTimeout('maxWaitMs', longest);
  const name = given ?? ownName;
  const now = (): number => (clock.monotonic ? clock.monotonic() : systemClock.monotonic());
  /** Delay of the last call, if it exceeded the usual one. */
  let neededMs: number | undefined;
  return async (signal) => {
    const begunAt = now();
    let leftMs = maxWaitMs;
    let lateMs = neededMs;
    for (let tries = 1; ; tries++) {
      signal?.throwIfAborted();
      const askedAt = now();
      const place = await limits.take(name, checked, leftMs, lateMs);
      const { waitMs, isTaken } = place;
      if (!isTaken) throw tooLong(code, name, checked, Math.ceil(waitMs), maxWaitMs);
      if (waitMs > 0) await waitFor(place, signal);
      const behindMs = now() - askedAt - waitMs; // an upper bound, because the time of the grant is not known exactly
      // Decision 436: a late burst must not meet the next one in one window.
      const allowedMs = shareOfLateness * (place.lateMs ?? Number.POSITIVE_INFINITY);
      neededMs = behindMs > allowedMs / 4 ? lateMs : undefined;
      if (behindMs <= allowedMs) return;
      await giveBack(place);
      leftMs = Math.max(0, maxWaitMs - (now() - begunAt));
      if (leftMs === 0 && tries >= leastTries) throw tooLong(code, name, checked, Math.ceil(behindMs), maxWaitMs);
      lateMs = Math.min(longestLateMs, Math.max(2 * (place.lateMs ?? 0), (1.5 * behindMs) / shareOfLateness));
    }
  };

  async function waitFor(place: CallPlace, signal: AbortSignal | undefined): Promise<void> {
    try {
      await pause(Math.ceil(place.waitMs), clock, signal);
    } catch (cause) {
      await giveBack(place);
      throw cause;
    }
  }

  async function giveBack(place: CallPlace): Promise<void> {
    await Promise.resolve(limits.giveBack(name, place)).catch(() => {}); // the place is lost then, which delays other callers once
  }
}

/** The rest covers the way from here to the call itself. */
const shareOfLateness = 0.5;

/** A slower process retries until `maxWaitMs` is over, at least at this interval. */
const longestLateMs = 10_000;
const leastTries = 3;

const tooLong = (code: TooFarCode, name: string, { calls, perMs }: CallRate, waitMs: number, maxWaitMs: number): WorkflowError =>
  new WorkflowError({
    code,
    message: `"${name}" allows ${calls} calls in ${perMs} ms, and the next one would wait ${waitMs} ms.`,
    hint: `Retry later, or raise maxWaitMs above ${maxWaitMs}.`,
    retryable: true,
    retryAfterMs: waitMs,
    data: { name, calls, perMs, waitMs, maxWaitMs },
  });
