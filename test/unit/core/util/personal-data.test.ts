import { describe, expect, it } from 'vitest';
import { holdsPersonalData } from '../../../../src/core/util/personal-data.ts';

describe('holdsPersonalData', () => {
  it.each([
    'first.last+tag@sub.example.co.uk',
    '메일은kim@example.kr입니다',
    "o'neil@example.com",
    'kim@회사.한국',
    'https://x.test/?u=a@example.com',
    '전화 010.1234.5678 로',
    '01012345678',
    '010 1234 5678 입니다',
    '사무실 (02) 123-4567',
    '070-1234-5678번',
    '+82-2-123-4567',
    'to +821012345678.',
    'FR +33 1 23 45 67 89',
    'dial 415-555-0132 now',
    '주민번호 900101-1234568',
    '9001011234568입니다',
    '아이 210101-3123456',
    '4111 1111 1111 1111',
    '4111.1111.1111.1111',
    '378282246310005',
    'pay:6011111111111117',
    'GB29 NWBK 6016 1331 9268 19',
    'de89370400440532013000',
    'to FR1420041010050500013M02606',
  ])('finds %s', (text) => {
    expect(holdsPersonalData({ nested: [{ text }] })).toBe(true);
  });

  it('finds a card number that is a number, and an address that is a key', () => {
    expect([holdsPersonalData(4111111111111111), holdsPersonalData({ 'a@example.com': 1 })]).toEqual([true, true]);
  });

  it.each([
    'weather in Seoul',
    '2026-11-23 21:30:49',
    '2026.11.23.',
    'Node 24.21.0, npm 11.4.2',
    '1,234,567,890',
    'ETA 12-13-14',
    '제12조 제3항 제4호',
    '사건번호 2024가합123456',
    'a1b2c3d4-e5f6-4a7b-8c9d-0e1f2a3b4c5d',
    '10.0.0.1:8080',
    'token budget = 100000',
    'x@y',
    '@user mention',
    'npm install react@19.1.0',
    'π=3.1415926535897932',
    'EAN 8801234567893',
    '계좌 110-123-456789',
    'tel: 112',
    '13 + 29 = 42',
    '9007199254740991',
  ])('finds nothing in %s', (text) => {
    expect(holdsPersonalData({ text })).toBe(false);
  });

  it('reads a million equal digits, letters or signs', () => {
    for (const unit of ['1', '1 ', 'a', '가', 'a@', '+1 ', 'AB12', '0-1', '(', 'a.']) {
      expect(holdsPersonalData(unit.repeat(1_000_000 / unit.length))).toBeTypeOf('boolean');
    }
  });
});
