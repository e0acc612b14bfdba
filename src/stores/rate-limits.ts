import type { CallRate, RateLimits } from '../core/ports/rate-limits.ts';
import type { NoteDecision } from '../core/ports/run-storage.ts';
import type { Awaitable, RunStore } from '../core/ports/run-store.ts';
import { checkCallRate } from '../core/util/check-call-rate.ts';
import { optionInvalid } from '../core/util/check-options.ts';
import { nextPlace, type RateWindow, withoutPlace } from '../core/util/rate-window.ts';
import { systemClock } from '../core/util/system-clock.ts';
import { storageOf } from './upkeep/storage-of.ts';

/**
 * Schedules the start times of calls for `rateLimited` and `rateLimitedModel`.
 *
 * @param store a store of SQLite, PostgreSQL or a Durable Object. All processes that use it share the limits. Without a store, only the
 * calls through the returned object share them.
 * @throws {WorkflowError} `OPTION_INVALID` for a store without notes, such as `memoryStore`.
 * @example const limits = rateLimits(sqliteStore({ path: 'agents.db' }));
 */
export function rateLimits(store?: RunStore): RateLimits {
  const note = store ? noteOf(store) : ownNotes();
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
        return { text: window ? JSON.stringify(withoutPlace(window, place)) : (text ?? '') };
      });
    },
  };
}

/** Allowance for late starts in a busy process: an eighth of the window, at least 50 ms, at most 2 s or the whole window. */
const usualLateMs = ({ perMs }: CallRate): number => Math.min(perMs, 2_000, Math.max(50, perMs / 8));

type Note = <T extends NoteDecision>(name: string, decide: (text: string | undefined, now: number) => T) => Awaitable<T>;

const keyOf = (name: string): string => `rate ${JSON.stringify(name.toWellFormed())}`;

function noteOf(store: RunStore): Note {
  const storage = storageOf(store);
  if (storage.note) return storage.note.bind(storage);
  throw optionInvalid(
    'The store has no notes, so processes cannot share a rate through it.',
    'Use a SQLite or PostgreSQL store, or omit the store to limit this process only.',
    'store',
  );
}

function ownNotes(): Note {
  const texts = new Map<string, string>();
  const startedAt = systemClock.now() - systemClock.monotonic(); // a wall clock that is set forward would open a new window
  return (name, decide) => {
    const decision = decide(texts.get(name), startedAt + systemClock.monotonic());
    texts.set(name, decision.text);
    return decision;
  };
}

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
