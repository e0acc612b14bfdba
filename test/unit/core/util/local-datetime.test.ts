import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { localDatetime } from '../../../../src/core/util/local-datetime.ts';

const at = (iso: string, zone: string): string => localDatetime(Date.parse(iso), zone).iso;

describe('localDatetime', () => {
  it('returns every part of one moment', () => {
    const epochMs = Date.parse('2026-11-20T06:04:05.678Z');
    expect(localDatetime(epochMs, 'Asia/Seoul')).toEqual({
      zone: 'Asia/Seoul',
      iso: '2026-11-20T15:04:05+09:00',
      date: '2026-11-20',
      time: '15:04:05',
      weekday: 'Friday',
      epochMs,
    });
  });

  it('returns the day of the zone, not of UTC', () => {
    const utcSunday = Date.parse('2026-03-01T20:00:00Z');
    expect(localDatetime(utcSunday, 'Asia/Seoul')).toMatchObject({ date: '2026-03-02', weekday: 'Monday' });
    expect(localDatetime(utcSunday, 'UTC')).toMatchObject({ date: '2026-03-01', weekday: 'Sunday', iso: '2026-03-01T20:00:00+00:00' });
  });

  it('writes midnight as 00', () => {
    expect(at('2026-06-30T15:00:00Z', 'Asia/Seoul')).toBe('2026-07-01T00:00:00+09:00');
  });

  it.each([
    ['2026-03-08T06:59:59Z', 'America/New_York', '2026-03-08T01:59:59-05:00'],
    ['2026-03-08T07:00:00Z', 'America/New_York', '2026-03-08T03:00:00-04:00'],
    ['2026-11-01T05:30:00Z', 'America/New_York', '2026-11-01T01:30:00-04:00'],
    ['2026-11-01T06:30:00Z', 'America/New_York', '2026-11-01T01:30:00-05:00'],
    ['2026-01-15T12:00:00Z', 'Australia/Lord_Howe', '2026-01-15T23:00:00+11:00'],
    ['2026-07-15T12:00:00Z', 'Australia/Lord_Howe', '2026-07-15T22:30:00+10:30'],
  ])('follows summer time: %s in %s', (iso, zone, expected) => {
    expect(at(iso, zone)).toBe(expected);
  });

  it.each([
    ['Asia/Kolkata', '2026-01-01T05:30:00+05:30'],
    ['Asia/Kathmandu', '2026-01-01T05:45:00+05:45'],
    ['America/St_Johns', '2025-12-31T20:30:00-03:30'],
    ['Pacific/Marquesas', '2025-12-31T14:30:00-09:30'],
  ])('supports offsets that are not whole hours: %s', (zone, expected) => {
    expect(at('2026-01-01T00:00:00Z', zone)).toBe(expected);
  });

  it('keeps the seconds of an old offset', () => {
    expect(at('1900-01-01T00:00:00Z', 'Asia/Seoul')).toBe('1900-01-01T08:27:52+08:27:52');
  });

  it('returns an ISO text that parses to the same second', () => {
    const zones = fc.constantFrom('Asia/Seoul', 'America/New_York', 'Europe/London', 'Australia/Lord_Howe', 'Asia/Kathmandu', 'UTC');
    const moments = fc.integer({ min: Date.parse('1980-01-01T00:00:00Z'), max: Date.parse('2100-01-01T00:00:00Z') });
    fc.assert(
      fc.property(moments, zones, (epochMs, zone) => {
        const { iso, date, time, weekday } = localDatetime(epochMs, zone);
        expect(Date.parse(iso)).toBe(Math.floor(epochMs / 1000) * 1000);
        expect(iso.startsWith(`${date}T${time}`)).toBe(true);
        expect(weekday).toBe(
          ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'][new Date(`${date}T00:00:00Z`).getUTCDay()],
        );
      }),
    );
  });

  it.each(['Mars/Olympus', '', 'Asia/Seoul ', '+09:00', '-03', 'BST', 'ist', 'Seoul'])('refuses %j, which is not an IANA name', (zone) => {
    expect(() => localDatetime(0, zone)).toThrow(expect.objectContaining({ code: 'TIME_ZONE_UNKNOWN' }));
  });

  it.each(['UTC', 'GMT', 'EST', 'Japan', 'Etc/GMT+9', 'asia/seoul'])('accepts %s', (zone) => {
    expect(localDatetime(0, zone).zone).toBe(zone);
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, 9e15])('refuses the moment %d', (epochMs) => {
    expect(() => localDatetime(epochMs, 'UTC')).toThrow(expect.objectContaining({ code: 'OPTION_INVALID' }));
  });
});
