import { fakeClock } from 'agent-machines/testing';
import { expect, it } from 'vitest';
import { RateLimiter } from '../../../../src/server/http/rate-limiter.ts';

it('refills each name separately over time up to its burst', async () => {
  const clock = fakeClock();
  const limiter = new RateLimiter({ perMinute: 10, burst: 3 }, clock);
  const taken = (name: string): number => {
    let count = 0;
    while (limiter.take(name) === 0) count++;
    return count;
  };
  expect([taken('a'), taken('b'), limiter.take('a')]).toEqual([3, 3, 6_000]);
  await clock.advance(5_999);
  expect(limiter.take('a')).toBeCloseTo(1);
  await clock.advance(1);
  expect(taken('a')).toBe(1);
  await clock.advance(3_600_000);
  expect([taken('a'), taken('b')]).toEqual([3, 3]);
});
