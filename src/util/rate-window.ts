import type { CallPlace, CallRate } from '../ports/rate-limits.ts';

/** The places that were given out last. */
export interface RateWindow {
  /** When the last one was asked for, in milliseconds since 1970. */
  readonly askedAt: number;
  /** In order, from the one on with which a window begins that has not ended. */
  readonly places: readonly number[];
  /** How late the call of each place may begin, in milliseconds. Default: not at all. */
  readonly late?: readonly number[];
}

interface GivenPlace {
  readonly at: number;
  readonly lateMs: number;
}

/**
 * The next place: not before now, not before one that was given out, and one window after the last moment at which the call that is `calls`
 * before it may begin. So no window has more than `calls`, wherever it begins. A clock that was set back has stood still since it was asked
 * last.
 *
 * @param lateMs How late the call may begin; it moves later places, not this one.
 */
export function nextPlace(
  before: RateWindow | undefined,
  { calls, perMs }: CallRate,
  now: number,
  maxWaitMs: number,
  lateMs = 0,
): { readonly place: CallPlace; readonly window: RateWindow } {
  const backMs = Math.max(0, (before?.askedAt ?? now) - now);
  const given = givenOf(before).map((place) => ({ ...place, at: place.at - backMs }));
  const lastMoments = given.map(lastMoment).sort((a, b) => a - b);
  const at = Math.max(now, given.at(-1)?.at ?? now, (lastMoments.at(-calls) ?? now - perMs) + perMs);
  const waitMs = at - now;
  const isTaken = waitMs <= maxWaitMs;
  const kept = given.filter((place) => lastMoment(place) > now - perMs);
  const place = { at, waitMs, isTaken, ...(lateMs > 0 ? { lateMs } : {}) };
  return { place, window: toWindow(now, isTaken ? [...kept, { at, lateMs }] : kept) };
}

/** The same without a place that was not used. */
export function withoutPlace(window: RateWindow, { at, lateMs = 0 }: Pick<CallPlace, 'at' | 'lateMs'>): RateWindow {
  const given = givenOf(window);
  const index = given.findLastIndex((place) => place.at === at && place.lateMs === lateMs);
  return index < 0 ? window : toWindow(window.askedAt, given.toSpliced(index, 1));
}

const lastMoment = ({ at, lateMs }: GivenPlace): number => at + lateMs;

const givenOf = ({ places = [], late = [] }: Partial<RateWindow> = {}): readonly GivenPlace[] =>
  places.map((at, i) => ({ at, lateMs: late[i] ?? 0 }));

const toWindow = (askedAt: number, given: readonly GivenPlace[]): RateWindow => ({
  askedAt,
  places: given.map(({ at }) => at),
  ...(given.some(({ lateMs }) => lateMs > 0) ? { late: given.map(({ lateMs }) => lateMs) } : {}),
});
