import type { JsonObject } from 'agent-machines';
import { type GetCurrentDatetimeOptions, getCurrentDatetime } from 'agent-machines/tools';
import { describe, expect, it } from 'vitest';
import { plainInputOf } from '../../../fixtures/plain-input.ts';

const clock = { now: (): number => Date.parse('2026-07-01T12:00:00Z') };
const call = (args: JsonObject = {}, options: GetCurrentDatetimeOptions = { clock }, signal = new AbortController().signal) =>
  getCurrentDatetime(options).execute(args, { signal, idempotencyKey: 'key', attempt: 1 });

describe('getCurrentDatetime', () => {
  it('is a pure tool that touches nothing and has no primary input', async () => {
    const tool = getCurrentDatetime();
    expect(tool).toMatchObject({
      name: 'get_current_datetime',
      effect: 'pure',
      capabilities: { private: false, untrusted: false, external: false },
    });
    expect(await plainInputOf(tool)).toEqual('NO_PRIMARY_INPUT');
  });

  it('returns the time of a zone in all forms', async () => {
    await expect(call({}, { clock, timeZone: 'Asia/Seoul' })).resolves.toEqual({
      zone: 'Asia/Seoul',
      iso: '2026-07-01T21:00:00+09:00',
      date: '2026-07-01',
      time: '21:00:00',
      weekday: 'Wednesday',
      epochMs: clock.now(),
    });
  });

  it('prefers the zone of the call to that of the options', async () => {
    const options = { clock, timeZone: 'Europe/Paris' };
    await expect(call({}, options)).resolves.toMatchObject({ iso: '2026-07-01T14:00:00+02:00' });
    await expect(call({ zone: 'Asia/Kolkata' }, options)).resolves.toMatchObject({ iso: '2026-07-01T17:30:00+05:30' });
  });

  it("prefers the zone of its options to the run's", async () => {
    const context = { signal: new AbortController().signal, idempotencyKey: 'key', attempt: 1, timeZone: 'Asia/Tokyo' };
    expect(await getCurrentDatetime({ clock }).execute({}, context)).toMatchObject({ iso: '2026-07-01T21:00:00+09:00' });
    expect(await getCurrentDatetime({ clock, timeZone: 'UTC' }).execute({}, context)).toMatchObject({ iso: '2026-07-01T12:00:00+00:00' });
  });

  it('uses the system clock by default', async () => {
    const before = Date.now();
    const result = await call({}, {});
    expect(result).toEqual(expect.objectContaining({ epochMs: expect.toSatisfy((ms) => before <= ms && ms <= Date.now()) }));
  });

  it('refuses an unknown zone', async () => {
    await expect(call({ zone: 'Mars/Olympus' })).rejects.toMatchObject({ code: 'TIME_ZONE_UNKNOWN' });
    await expect(call({}, { clock, timeZone: 'BST' })).rejects.toMatchObject({ code: 'TIME_ZONE_UNKNOWN' });
  });

  it('refuses undeclared arguments', async () => {
    await expect(call({ timezone: 'UTC' })).rejects.toMatchObject({ code: 'TOOL_INPUT_INVALID' });
    await expect(call({ zone: 9 })).rejects.toMatchObject({ code: 'TOOL_INPUT_INVALID' });
  });

  it('throws the reason of an abort', async () => {
    const reason = new Error('stop');
    await expect(call({}, { clock }, AbortSignal.abort(reason))).rejects.toBe(reason);
  });
});
