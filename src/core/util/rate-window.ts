import type { CallPlace, CallRate } from '../ports/rate-limits.ts';

/** The most recent places. */
export interface RateWindow {
  /** Time of the last request, in milliseconds since 1970. */
  readonly askedAt: number;
  /** Places in order, from the first whose window is still open. */
  readonly places: readonly number[];
  /** Allowed delay of each place's call, in milliseconds. Default: none. */
  readonly late?: readonly number[];
  /** Longest `perMs` of all callers so far. Default: the caller's. */
  readonly longestMs?: number;
  /** Last possible start of the newest place that was removed as too old, in milliseconds since 1970. Default: none was. */
  readonly droppedAt?: number;
}

/** Places kept at most: a rate has up to 1,000 calls, and the others cover places that are returned. */
const maxPlaces = 2_000;

interface StoredPlace {
  readonly at: number;
  readonly lateMs: number;
}

/**
 * Computes the next place: not before now, not before an earlier place, and one window after the last possible start of the call `calls`
 * places before. So no window has more than `calls`, wherever it starts. A clock that was set back counts as stopped. Callers with different
 * rates count each other's places.
 *
 * @param lateMs Allowed delay of the call; it moves later places, not this one.
 */
export function nextPlace(
  before: RateWindow | undefined,
  { calls, perMs }: CallRate,
  now: number,
  maxWaitMs: number,
  lateMs = 0,
): { readonly place: CallPlace; readonly window: RateWindow } {
  const backMs = Math.max(0, (before?.askedAt ?? now) - now);
  const places = placesOf(before).map((place) => ({ ...place, at: place.at - backMs }));
  const lastMoments = places.map(lastMoment).sort((a, b) => a - b);
  const droppedAt = (before?.droppedAt ?? Number.NEGATIVE_INFINITY) - backMs; // the places before the kept ones may be as late as this
  // Decision 411: a bucket would allow up to 2N - 1 calls in some window.
  const at = Math.max(now, places.at(-1)?.at ?? now, (lastMoments.at(-calls) ?? droppedAt) + perMs);
  const waitMs = at - now;
  const isTaken = waitMs <= maxWaitMs;
  const longestMs = Math.max(perMs, before?.longestMs ?? 0);
  const oldest = Math.max(now - longestMs, lastMoments.at(-maxPlaces) ?? Number.NEGATIVE_INFINITY);
  const recent = places.filter((place) => lastMoment(place) > oldest);
  const place = { at, waitMs, isTaken, ...(lateMs > 0 ? { lateMs } : {}) };
  const window = toWindow(now, isTaken ? [...recent, { at, lateMs }] : recent);
  const newestDropped = Math.max(droppedAt, ...lastMoments.filter((moment) => moment <= oldest).slice(-1));
  return { place, window: { ...window, longestMs, ...(Number.isFinite(newestDropped) ? { droppedAt: newestDropped } : {}) } };
}

/** Removes an unused place. */
export function withoutPlace(window: RateWindow, { at, lateMs = 0 }: Pick<CallPlace, 'at' | 'lateMs'>): RateWindow {
  const places = placesOf(window);
  const index = places.findLastIndex((place) => place.at === at && place.lateMs === lateMs);
  if (index < 0) return window;
  const { late: _, ...rest } = window;
  return { ...rest, ...toWindow(window.askedAt, places.toSpliced(index, 1)) };
}

const lastMoment = ({ at, lateMs }: StoredPlace): number => at + lateMs;

const placesOf = ({ places = [], late = [] }: Partial<RateWindow> = {}): readonly StoredPlace[] =>
  places.map((at, i) => ({ at, lateMs: late[i] ?? 0 }));

const toWindow = (askedAt: number, places: readonly StoredPlace[]): RateWindow => ({
  askedAt,
  places: places.map(({ at }) => at),
  ...(places.some(({ lateMs }) => lateMs > 0) ? { late: places.map(({ lateMs }) => lateMs) } : {}),
});
