import { getEventListeners } from 'node:events';
import { fakeClock } from 'agent-machines/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkReplyTimeouts, replyClock } from '../../../src/models/reply-clock.ts';

const limits = { firstByteTimeoutMs: 100, idleTimeoutMs: 10, totalTimeoutMs: 1_000 };
const begin = (signal?: AbortSignal) => {
  const clock = fakeClock();
  return { clock, watch: replyClock(limits, { name: 'm', signal, clock }) };
};

describe('replyClock', () => {
  const cases: { name: string; play: (options: ReturnType<typeof begin>) => Promise<void>; limit: string; ms: number; code: string }[] = [
    {
      name: 'the first byte',
      play: async ({ clock, watch }) => {
        watch.attempt();
        await clock.advance(100);
      },
      limit: 'firstByteTimeoutMs',
      ms: 100,
      code: 'MODEL_UNAVAILABLE',
    },
    {
      name: 'a pause',
      play: async ({ clock, watch }) => {
        watch.attempt();
        await clock.advance(99);
        watch.heard();
        await clock.advance(9);
        watch.heard();
        await clock.advance(10);
      },
      limit: 'idleTimeoutMs',
      ms: 10,
      code: 'MODEL_STREAM_CUT',
    },
    {
      name: 'the whole, attempts and the pauses between them together',
      play: async ({ clock, watch }) => {
        for (let i = 0; i < 10; i++) {
          watch.attempt();
          await clock.advance(50);
          watch.rest();
          await clock.advance(50);
        }
      },
      limit: 'totalTimeoutMs',
      ms: 1_000,
      code: 'MODEL_UNAVAILABLE',
    },
  ];
  it.each(cases)('ends $name by its own limit, and names the limit to raise', async ({ play, limit, ms, code }) => {
    const options = begin();
    await play(options);
    expect(options.watch.signal.reason).toMatchObject({ code, retryable: true, data: { limit, limitMs: ms } });
    expect(options.watch.signal.reason.message).toContain(`${ms} ms`);
    expect(options.watch.signal.reason.hint).toMatch(new RegExp(`Raise ${limit} for`));
  });

  it('lets a reply continue as long as data arrives', async () => {
    const { clock, watch } = begin();
    watch.attempt();
    for (let i = 0; i < 99; i++) {
      await clock.advance(9);
      watch.heard();
    }
    expect(watch.signal.aborted).toBe(false);
  });

  it('aborts with the reason of its caller and removes its listener', async () => {
    const caller = new AbortController();
    const { clock, watch } = begin(caller.signal);
    watch.attempt();
    const reason = new Error('Left.');
    caller.abort(reason);
    expect(watch.signal.reason).toBe(reason);
    watch.stop();
    expect(getEventListeners(caller.signal, 'abort')).toEqual([]);
    await clock.advance(5_000);
    expect(watch.signal.reason).toBe(reason);
    expect(begin(AbortSignal.abort(reason)).watch.signal.reason).toBe(reason);
  });

  it('never aborts after it is stopped', async () => {
    const { clock, watch } = begin();
    watch.attempt();
    watch.stop();
    await clock.advance(5_000);
    expect(watch.signal.aborted).toBe(false);
  });

  it('waits five minutes for the first data and fifteen for the whole by default', () => {
    expect(checkReplyTimeouts({})).toEqual({ firstByteTimeoutMs: 300_000, idleTimeoutMs: 300_000, totalTimeoutMs: 900_000 });
    expect(() => checkReplyTimeouts({ totalTimeoutMs: 0 })).toThrow(expect.objectContaining({ code: 'OPTION_INVALID' }));
  });

  it('aborts when a timer would fire that is cancelled and set anew at each sign of life', async () => {
    const step = fc.oneof(
      fc.record({ heard: fc.integer({ min: 0, max: 50 }) }),
      fc.record({ advance: fc.integer({ min: 0, max: 30 }) }),
      fc.constant('rest' as const),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
        const { clock, watch } = begin();
        let abortedAt: number | undefined;
        watch.signal.addEventListener('abort', () => {
          abortedAt = clock.now();
        });
        let expectedAt: number | undefined;
        let cancel = (): void => {};
        for (const one of steps) {
          if (expectedAt !== undefined) break;
          if (one === 'rest') {
            watch.rest();
            cancel();
          } else if ('heard' in one) {
            watch.heard(one.heard);
            cancel();
            cancel = clock.schedule(one.heard, () => {
              expectedAt = clock.now();
            });
          } else await clock.advance(one.advance);
        }
        await clock.advance(60);
        expect(abortedAt).toBe(expectedAt);
        watch.stop();
      }),
    );
  });

  it('asks the clock for one timer of silence, however often it hears something', () => {
    const delays: number[] = [];
    const clock = {
      monotonic: () => 0,
      schedule(delayMs: number): () => void {
        delays.push(delayMs);
        return () => {};
      },
    };
    const watch = replyClock(limits, { name: 'm', signal: undefined, clock });
    for (let token = 0; token < 1_000; token++) watch.heard();
    expect(delays).toEqual([1_000, 10]);
  });
});
