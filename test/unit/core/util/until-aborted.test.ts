import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { untilAborted } from '../../../../src/core/util/until-aborted.ts';

const reason = new Error('Left.');

describe('untilAborted', () => {
  it('returns the result of the work, and leaves no listener', async () => {
    const { signal } = new AbortController();
    expect(await untilAborted(Promise.resolve(1), signal)).toBe(1);
    await expect(untilAborted(Promise.reject(reason), signal)).rejects.toBe(reason);
    expect(await untilAborted(Promise.resolve(2), undefined)).toBe(2);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('rejects with the reason of an earlier or later abort', async () => {
    const never = new Promise<void>(() => {});
    await expect(untilAborted(never, AbortSignal.abort(reason))).rejects.toBe(reason);
    const controller = new AbortController();
    const waiting = untilAborted(never, controller.signal);
    controller.abort(reason);
    await expect(waiting).rejects.toBe(reason);
  });

  it('leaves no unhandled rejection after an abort', async () => {
    const work = Promise.reject(new Error('Too late.')); // vitest fails on an unhandled rejection
    await expect(untilAborted(work, AbortSignal.abort(reason))).rejects.toBe(reason);
  });
});
