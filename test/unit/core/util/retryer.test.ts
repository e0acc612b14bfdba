import { WorkflowError } from 'agent-machines';
import { fakeClock } from 'agent-machines/testing';
import { describe, expect, it } from 'vitest';
import { retry, retryDelay } from '../../../../src/core/util/retryer.ts';

const error = (retryable: boolean, asked?: { readonly retryAfterMs: number }) =>
  new WorkflowError({ code: 'FETCH_FAILED', message: 'no', retryable, ...asked });
const signal = new AbortController().signal;
const whole = { random: () => 1 };

describe('retryDelay', () => {
  it('doubles up to its maximum, and takes a random part of it', () => {
    const delays = [1, 2, 3, 4, 5, 6].map((attempt) => retryDelay({ ...whole, attempts: 9 }, attempt, error(true)));
    expect(delays).toEqual([200, 400, 800, 1_600, 3_200, 5_000]);
    expect(retryDelay({ random: () => 0.5 }, 1, error(true))).toBe(100);
  });

  it('returns undefined after the last attempt', () => {
    expect(retryDelay(whole, 3, error(true))).toBeUndefined();
    expect(retryDelay(whole, 1, error(false))).toBeUndefined();
    expect(retryDelay({ ...whole, retryable: () => true }, 1, error(false))).toBe(200);
  });

  it('follows the wait of the error', () => {
    expect(retryDelay(whole, 1, error(true, { retryAfterMs: 7_000 }))).toBe(7_000);
    expect(retryDelay(whole, 1, error(true, { retryAfterMs: -1 }))).toBe(200);
    expect(retryDelay(whole, 1, error(true, { retryAfterMs: 3_600_000 }))).toBe(60_000);
    expect(retryDelay({ ...whole, longestRetryAfterMs: 500 }, 1, error(true, { retryAfterMs: 7_000 }))).toBe(500);
  });
});

describe('retry', () => {
  it('retries until success, and reports each retry', async () => {
    const clock = fakeClock();
    const told: object[] = [];
    const done = retry(
      async (attempt) => {
        if (attempt < 3) throw error(true);
        return attempt;
      },
      whole,
      { clock, signal, onRetry: ({ attempt, delayMs }) => told.push({ attempt, delayMs }) },
    );
    await clock.advance(600);
    expect(await done).toBe(3);
    expect(told).toEqual([
      { attempt: 1, delayMs: 200 },
      { attempt: 2, delayMs: 400 },
    ]);
  });

  it('throws the error of the last attempt', async () => {
    const clock = fakeClock();
    const failing = retry(
      (attempt) => Promise.reject(Object.assign(error(true), { attempt })),
      { ...whole, attempts: 2 },
      { clock, signal },
    );
    const thrown = expect(failing).rejects.toMatchObject({ attempt: 2 });
    await clock.advance(200);
    await thrown;
  });

  it('ends with the reason of an abort, during the work and during a pause', async () => {
    const clock = fakeClock();
    const stop = new AbortController();
    const paused = retry(() => Promise.reject(error(true)), whole, { clock, signal: stop.signal });
    const ended = expect(paused).rejects.toBe('enough');
    await clock.advance(10);
    stop.abort('enough');
    await ended;
    await expect(retry(async () => 1, whole, { clock, signal: stop.signal })).rejects.toBe('enough');
  });
});
