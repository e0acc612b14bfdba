import { WorkflowError } from '../errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { CallPlace, CallRate, RateLimits } from '../ports/rate-limits.ts';
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
  readonly clock?: Pick<Clock, 'schedule'> & Partial<Pick<Clock, 'monotonic'>>;
}

/** Of the error for a place that is too far. */
type TooFarCode = 'MODEL_UNAVAILABLE' | 'TOOL_UNAVAILABLE';

/**
 * Makes what waits until something may be begun. A place whose wait was aborted is given back. So is one whose moment has passed while the
 * process was busy: then another one is taken, or a burst that is late would meet the next one in one window.
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
  const now = (): number => (clock.monotonic ? clock.monotonic() : systemClock.monotonic());
  /** What the last call has needed, while that is more than usual. */
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
      const behindMs = now() - askedAt - waitMs; // at the most: when the place was given is not known more exactly
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
    await Promise.resolve(limits.giveBack(name, place)).catch(() => {}); // it is lost then, which holds others back once
  }
}

/** The rest is for the way from here to the call itself. */
const shareOfLateness = 0.5;

/** A process that is further behind tries until `maxWaitMs` is over, and at least this often. */
const longestLateMs = 10_000;
const leastTries = 3;

const tooLong = (code: TooFarCode, name: string, { calls, perMs }: CallRate, waitMs: number, maxWaitMs: number): WorkflowError =>
  new WorkflowError({
    code,
    message: `There may be ${calls} calls of "${name}" in ${perMs} ms, and the next one would have to wait ${waitMs} ms.`,
    hint: `Ask again later, or wait for longer than maxWaitMs: ${maxWaitMs}.`,
    retryable: true,
    retryAfterMs: waitMs,
    data: { name, calls, perMs, waitMs, maxWaitMs },
  });
