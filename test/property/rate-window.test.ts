// How many calls any window of a rate has, whatever is asked, given back, and whenever.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nextPlace, type RateWindow, withoutPlace } from '../../src/core/util/rate-window.ts';
import { mostInWindow } from '../fixtures/most-in-window.ts';

const rate = fc.record({ calls: fc.integer({ min: 1, max: 6 }), perMs: fc.integer({ min: 1, max: 50 }) });
const step = fc.record({
  /** How long it is since the one before. */
  afterMs: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 60 })),
  maxWaitMs: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 300 })),
  /** Afterwards, the last of the places that have not come is given back. */
  givesBack: fc.boolean(),
});

describe('the places of a rate', () => {
  it('stay within the limit in every window, in order, and are as early as possible', () => {
    fc.assert(
      fc.property(rate, fc.array(step, { maxLength: 80 }), ({ calls, perMs }, steps) => {
        let window: RateWindow | undefined;
        let now = 1_000;
        let places: number[] = [];
        for (const { afterMs, maxWaitMs, givesBack } of steps) {
          now += afterMs;
          const next = nextPlace(window, { calls, perMs }, now, maxWaitMs);
          const { at, waitMs, isTaken } = next.place;
          window = next.window;
          expect([at - waitMs, waitMs >= 0, isTaken]).toEqual([now, true, waitMs <= maxWaitMs]);
          expect(at).toBeGreaterThanOrEqual(places.at(-1) ?? at);
          const isEarliest = at === now || at === places.at(-1) || mostInWindow([...places, at - 1], perMs) > calls;
          expect(isEarliest).toBe(true);
          if (!isTaken) continue;
          places.push(at);
          expect(mostInWindow(places, perMs)).toBeLessThanOrEqual(calls);
          if (!givesBack || waitMs === 0) continue;
          window = withoutPlace(window, next.place);
          places = places.toSpliced(places.lastIndexOf(at), 1);
        }
      }),
    );
  });

  it('count calls of other rates for the longest window', () => {
    const mixed = fc.record({ afterMs: fc.integer({ min: 0, max: 60 }), by: fc.nat({ max: 1 }), givesBack: fc.boolean() });
    fc.assert(
      fc.property(rate, rate, fc.array(mixed, { maxLength: 80 }), (one, other, steps) => {
        let window: RateWindow | undefined;
        let now = 1_000;
        let places: number[] = [];
        let longestMs = 0;
        let longestSince = 0;
        for (const { afterMs, by, givesBack } of steps) {
          now += afterMs;
          const { calls, perMs } = by === 0 ? one : other;
          const next = nextPlace(window, { calls, perMs }, now, Number.POSITIVE_INFINITY);
          const { at, waitMs } = next.place;
          window = next.window;
          const countIn = (end: number): number => places.filter((place) => place > end - perMs).length + 1;
          expect(countIn(at)).toBeLessThanOrEqual(calls);
          const isKnown = longestMs >= perMs && now - longestSince >= perMs; // before that, it waits for places that may have been there
          if (isKnown) expect(at === now || at === places.at(-1) || countIn(at - 1) > calls).toBe(true);
          if (perMs > longestMs) [longestMs, longestSince] = [perMs, now];
          places.push(at);
          if (!givesBack || waitMs === 0) continue;
          window = withoutPlace(window, next.place);
          places = places.toSpliced(places.lastIndexOf(at), 1);
        }
      }),
    );
  });

  it('are kept for the longest window of its callers, and never more than 2,000', () => {
    const perMinute = { calls: 3, perMs: 60_000 };
    let { window } = nextPlace(undefined, perMinute, 0, 0);
    for (let second = 1; second <= 2; second++) ({ window } = nextPlace(window, { calls: 1, perMs: 1_000 }, second * 1_500, 0));
    expect(nextPlace(window, perMinute, 5_000, 60_000).place.at).toBe(60_000);
    for (let call = 0; call < 3_000; call++) ({ window } = nextPlace(window, { calls: 1_000, perMs: 1 }, 5_000 + call, 0));
    expect(window.places.length).toBeLessThanOrEqual(2_001);
    expect(nextPlace(window, { calls: 1_000, perMs: 60_000 }, 8_000, 60_000).place.at).toBe(5_000 + 2_000 + 60_000);
    const old = { askedAt: 8_000, places: [7_999, 8_000] };
    expect(nextPlace(old, { calls: 2, perMs: 100 }, 8_000, 100).place.at).toBe(8_099);
  });

  it('leave room for calls that start late, each by the tolerance of its place', () => {
    const lateStep = fc.record({
      afterMs: fc.integer({ min: 0, max: 60 }),
      lateMs: fc.integer({ min: 0, max: 40 }),
      share: fc.integer({ min: 0, max: 4 }),
    });
    fc.assert(
      fc.property(rate, fc.array(lateStep, { maxLength: 60 }), (given, steps) => {
        let window: RateWindow | undefined;
        let now = 1_000;
        const begun: number[] = [];
        for (const { afterMs, lateMs, share } of steps) {
          now += afterMs;
          const next = nextPlace(window, given, now, Number.POSITIVE_INFINITY, lateMs);
          window = next.window;
          begun.push(next.place.at + (lateMs * share) / 4);
        }
        expect(mostInWindow(begun, given.perMs)).toBeLessThanOrEqual(given.calls);
      }),
    );
  });

  it.each([
    ['set back by an hour', -3_600_000, 100],
    ['set forward by an hour', 3_600_000, 0],
  ])('survive a clock that was %s', (_, jumpMs, waitMs) => {
    const perSecond = { calls: 1, perMs: 100 };
    const first = nextPlace(undefined, perSecond, 5_000_000, 0);
    const second = nextPlace(first.window, perSecond, 5_000_000 + jumpMs, 1_000);
    expect(second.place).toEqual({ at: 5_000_000 + jumpMs + waitMs, waitMs, isTaken: true });
    expect(nextPlace(second.window, perSecond, 5_000_000 + jumpMs + 50, 1_000).place.waitMs).toBe(waitMs + 50);
  });
});
