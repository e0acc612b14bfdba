import { parseContract, reviewContract, toCalendar } from 'agent-machines/contracts';
import { describe, expect, it } from 'vitest';

const text = `용역계약서

가람(이하 "갑"이라 한다)과 나루(이하 "을"이라 한다)는 다음과 같이 계약한다.

제1조(계약기간) 계약기간은 2026년 4월 1일부터 2027년 3월 31일까지로 한다.
제2조(보증) 을은 계약 체결일로부터 10일 이내에 증권, 이력서; 그리고 아주 긴 이름을 가진 여러 가지 서류와 도면과 사진과 견본을 갑에게 제출하여야 한다.
제3조(통지) 을은 통지를 받은 날부터 3일 이내에 답한다.

위와 같이 계약을 체결한다.

2026년 3월 2일

갑: 가람 (인)
을: 나루 (인)
`;
const now = new Date('2026-03-03T04:05:06.789Z');
const calendar = (remindDays?: number): string =>
  toCalendar(reviewContract(parseContract({ name: 'service.md', text })), { now, ...(remindDays === undefined ? {} : { remindDays }) }) ??
  '';

/** Reads properties as RFC 5545 does: unfolds lines, splits name and value, removes escapes. */
function read(file: string): readonly (readonly [name: string, value: string])[] {
  return file
    .replaceAll('\r\n ', '')
    .split('\r\n')
    .slice(0, -1)
    .map((line) => {
      const at = line.indexOf(':');
      const value = line.slice(at + 1).replace(/\\([\\;,nN])/g, (_, character: string) => (/n/i.test(character) ? '\n' : character));
      return [line.slice(0, at), value];
    });
}
const valuesOf = (file: string, name: string): readonly string[] => read(file).flatMap(([own, value]) => (own === name ? [value] : []));

describe('a calendar of a review', () => {
  it('has an all-day event for each computed date, and none for an event without a date', () => {
    expect(valuesOf(calendar(), 'DTSTART;VALUE=DATE')).toEqual(['20260312', '20260401', '20270331']);
    expect(valuesOf(calendar(), 'DTEND;VALUE=DATE')).toEqual(['20260313', '20260402', '20270401']);
    expect(valuesOf(calendar(), 'DTSTAMP')).toEqual(['20260303T040506Z', '20260303T040506Z', '20260303T040506Z']);
    expect(valuesOf(calendar(), 'SUMMARY')[0]).toBe('용역계약서: 을 – 계약 체결일로부터 10일 이내');
  });

  it('keeps the passage, with its commas, semicolons and line breaks', () => {
    const [first = ''] = valuesOf(calendar(), 'DESCRIPTION');
    expect(first.split('\n')[0]).toBe('제2조');
    expect(first).toContain('증권, 이력서; 그리고 아주 긴');
    expect(calendar().replaceAll('\r\n ', '')).toContain('증권\\, 이력서\\; ');
  });

  it('has lines of at most 75 octets that end with CRLF', () => {
    const lines = calendar().split('\r\n');
    expect(lines.at(-1)).toBe('');
    expect(Math.max(...lines.map((line) => new TextEncoder().encode(line).length))).toBeLessThanOrEqual(75);
    expect(calendar()).not.toMatch(/[^\r]\n|\uFFFD/);
  });

  it('has ids that do not depend on the time of creation', () => {
    const later = toCalendar(reviewContract(parseContract({ name: 'service.md', text })), { now: new Date('2027-01-01T00:00:00Z') });
    expect(valuesOf(later ?? '', 'UID')).toEqual(valuesOf(calendar(), 'UID'));
    expect(new Set(valuesOf(calendar(), 'UID')).size).toBe(3);
  });

  it('is none without a date: RFC 5545 requires an event', () => {
    const dateless = text.replace(/\n제[12]조.*/g, '').replace('2026년 3월 2일', '');
    expect(toCalendar(reviewContract(parseContract({ name: 'service.md', text: dateless })), { now })).toBeUndefined();
  });

  it('reminds only if it should', () => {
    expect(calendar()).not.toContain('VALARM');
    expect(valuesOf(calendar(7), 'TRIGGER')).toEqual(['-P7D', '-P7D', '-P7D']);
  });
});
