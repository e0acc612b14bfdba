import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { patientFetch } from '../../../src/studio/api/patient-fetch.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const refusal = (headers: Record<string, string> = {}): Response => Response.json({ code: 'TOO_MANY_REQUESTS' }, { status: 429, headers });
const tooMuch = (seconds: number): Response => refusal({ 'retry-after': String(seconds) });

function serverOf(answers: readonly (() => Response)[]) {
  const held: number[] = [];
  const sent: unknown[] = [];
  const send = patientFetch(
    async (_, init) => {
      sent.push(init?.body);
      return (answers[sent.length - 1] ?? (() => Response.json('done')))();
    },
    (untilMs) => held.push(untilMs - Date.now()),
  );
  return { held, sent, send };
}

describe('a request that was too much at once', () => {
  it.each([
    ['is sent again after the time that was said', [() => tooMuch(6)], [6_000], 200],
    ['is sent again as often as the server asks', [() => tooMuch(5), () => tooMuch(1)], [5_000, 1_000], 200],
    ['is answered as the server did, without a time', [() => refusal()], [], 429],
    ['is answered as the server did, when the time cannot be read', [() => refusal({ 'retry-after': 'soon' })], [], 429],
    ['is answered as the server did, when it would take over a minute', [() => tooMuch(61)], [], 429],
    ['is given up when it has been kept for a minute', [() => tooMuch(40), () => tooMuch(40)], [40_000], 429],
    [
      'is not sent again when it was refused for another reason',
      [() => Response.json({}, { status: 503, headers: { 'retry-after': '1' } })],
      [],
      503,
    ],
  ])('%s', async (_, answers, waits, status) => {
    const { held, sent, send } = serverOf(answers);
    const answer = send('/api/runs', { method: 'POST', body: 'the same' });
    await vi.runAllTimersAsync();
    expect([(await answer).status, held]).toEqual([status, waits]);
    expect(sent).toEqual(Array.from({ length: waits.length + 1 }, () => 'the same'));
  });

  it('is not sent again when nobody wants it any more', async () => {
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
