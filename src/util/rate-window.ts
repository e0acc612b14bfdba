import type { CallPlace, CallRate } from '../ports/rate-limits.ts';

/** The places that were given out last. */
export interface RateWindow {
  /** When the last one was asked for, in milliseconds since 1970. */
  readonly askedAt: number;
  /** In order, from the one on with which a window begins that has not ended. */
  readonly places: readonly number[];
}

/**
 * The next place: not before now, not before one that was given out, and one window after the one that is `calls` before it. So no window
 * has more than `calls`, wherever it begins. A clock that was set back has stood still since it was asked last.
 */
export function nextPlace(
  before: RateWindow | undefined,
  { calls, perMs }: CallRate,
  now: number,
  maxWaitMs: number,
): { readonly place: CallPlace; readonly window: RateWindow } {
  const { askedAt = now, places: known = [] } = before ?? {};
  const backMs = Math.max(0, askedAt - now);
  const places = known.map((place) => place - backMs);
  const at = Math.max(now, places.at(-1) ?? now, (places.at(-calls) ?? now - perMs) + perMs);
  const waitMs = at - now;
  const isTaken = waitMs <= maxWaitMs;
  const kept = places.filter((place) => place > now - perMs);
  return { place: { at, waitMs, isTaken }, window: { askedAt: now, places: isTaken ? [...kept, at] : kept } };
}

/** The same without a place that has not come yet. */
export function withoutPlace(window: RateWindow, at: number): RateWindow {
  const index = window.places.lastIndexOf(at);
  return index < 0 ? window : { ...window, places: window.places.filter((_, place) => place !== index) };
}
