import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { retryingFetch } from '../../../src/studio/api/retrying-fetch.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const refusal = (headers: Record<string, string> = {}): Response => Response.json({ code: 'TOO_MANY_REQUESTS' }, { status: 429, headers });
const tooMuch = (seconds: number): Response => refusal({ 'retry-after': String(seconds) });

function serverOf(answers: readonly (() => Response)[]) {
  const held: number[] = [];
  const sent: unknown[] = [];
  const send = retryingFetch(
    async (_, init) => {
      sent.push(init?.body);
      return (answers[sent.length - 1] ?? (() => Response.json('done')))();
    },
    (untilMs) => held.push(untilMs - Date.now()),
  );
  return { held, sent, send };
}

describe('a request that is over the rate limit', () => {
  it.each([
    ["is repeated after the server's delay", [() => tooMuch(6)], [6_000], 200],
    ['is repeated as often as the server asks', [() => tooMuch(5), () => tooMuch(1)], [5_000, 1_000], 200],
    ["gets the server's answer when there is no delay", [() => refusal()], [], 429],
    ["gets the server's answer when the delay is unreadable", [() => refusal({ 'retry-after': 'soon' })], [], 429],
    ["gets the server's answer when the delay exceeds a minute", [() => tooMuch(61)], [], 429],
    ['is given up after a minute of delays', [() => tooMuch(40), () => tooMuch(40)], [40_000], 429],
    ['is not repeated after another error', [() => Response.json({}, { status: 503, headers: { 'retry-after': '1' } })], [], 503],
  ])('%s', async (_, answers, waits, status) => {
    const { held, sent, send } = serverOf(answers);
    const answer = send('/api/runs', { method: 'POST', body: 'the same' });
    await vi.runAllTimersAsync();
    expect([(await answer).status, held]).toEqual([status, waits]);
    expect(sent).toEqual(Array.from({ length: waits.length + 1 }, () => 'the same'));
  });

  it('is not repeated after it is aborted', async () => {
    const stop = new AbortController();
    const { sent, send } = serverOf([() => tooMuch(6)]);
    const answer = send('/api/runs', { signal: stop.signal });
    await vi.advanceTimersByTimeAsync(1_000);
    stop.abort();
    await expect(answer).rejects.toThrow('aborted');
    await vi.runAllTimersAsync();
    expect([sent.length, vi.getTimerCount()]).toEqual([1, 0]);
  });
});
