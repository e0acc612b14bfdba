import type { CallRate, RateLimits } from '../core/ports/rate-limits.ts';
import type { RunStore } from '../core/ports/run-store.ts';
import { checkCallRate } from '../core/util/check-call-rate.ts';
import { nextPlace, type RateWindow, withoutPlace } from '../core/util/rate-window.ts';
import { notesOf } from './store-notes.ts';

/**
 * Schedules the start times of calls for `rateLimited` and `rateLimitedModel`.
 *
 * @param store a store of SQLite, PostgreSQL, IndexedDB or a Durable Object. All processes that use it share the limits. Without a store,
 * only the calls through the returned object share them.
 * @throws {WorkflowError} `OPTION_INVALID` for a store without notes, such as that of Restate.
 * @example const limits = rateLimits(sqliteStore({ path: 'agents.db' }));
 */
export function rateLimits(store?: RunStore): RateLimits {
  const note = notesOf(store);
  return {
    async take(name, rate, maxWaitMs, lateMs) {
      const checked = checkCallRate(rate);
      const late = lateMs ?? usualLateMs(checked);
      const { place } = await note(keyOf(name), (text, now) => {
        const next = nextPlace(toWindow(text), checked, now, maxWaitMs, late);
        return { ...next, text: JSON.stringify(next.window) };
      });
      return place;
    },
    async giveBack(name, place) {
      await note(keyOf(name), (text) => {
        const window = toWindow(text);
        return { text: window ? JSON.stringify(withoutPlace(window, place)) : text };
      });
    },
  };
}

/** Allowance for late starts in a busy process: an eighth of the window, at least 50 ms, at most 2 s or the whole window. */
const usualLateMs = ({ perMs }: CallRate): number => Math.min(perMs, 2_000, Math.max(50, perMs / 8));

const keyOf = (name: string): string => `rate ${JSON.stringify(name.toWellFormed())}`;

/** Returns `undefined` for invalid text, which starts a new window. */
function toWindow(text: string | undefined): RateWindow | undefined {
  try {
    const { askedAt, places, late, longestMs, droppedAt } = JSON.parse(text ?? '{}') as Partial<RateWindow>;
    if (!isTime(askedAt) || !areTimes(places)) return undefined;
    return {
      askedAt,
      places,
      ...(areTimes(late) && late.length === places.length ? { late } : {}),
      ...(isTime(longestMs) ? { longestMs } : {}),
      ...(isTime(droppedAt) ? { droppedAt } : {}),
    };
  } catch {
    return undefined;
  }
}

const isTime = (value: unknown): value is number => Number.isFinite(value);

const areTimes = (value: unknown): value is readonly number[] => Array.isArray(value) && value.every(isTime);
