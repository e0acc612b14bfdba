import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isKorean } from '../../../../src/core/text/is-korean.ts';
import { answerDate } from '../../../../src/models/offline/answer-date.ts';
import {
  addDays,
  addMonths,
  daysBetween,
  daysInMonth,
  describeDay,
  fromDayNumber,
  isoDay,
  toDayNumber,
  weekdayNames,
  weekdayOf,
} from '../../../../src/models/offline/calendar.ts';

/** A Friday. */
const today = { year: 2026, month: 11, day: 20 };
const answer = (sentence: string): string | undefined => answerDate(sentence, today, isKorean(sentence));
const millisPerDay = 86_400_000;

describe('answerDate', () => {
  it.each([
    ['내일은 무슨 요일', '2026-11-21 토요일'],
    ['모레는 무슨 요일이야?', '2026-11-22 일요일'],
    ['어제 무슨 요일이었지?', '2026-11-19 목요일'],
    ['3일 뒤는 며칠이야?', '2026-11-23 월요일'],
    ['3일 뒤', '2026-11-23'],
    ['일주일 뒤가 며칠이지', '2026-11-27'],
    ['보름 뒤는 며칠?', '2026-12-05'],
    ['세 달 뒤는 며칠이야?', '2027-02-20'],
    ['지난주 금요일은 며칠이었어?', '2026-11-13'],
    ['다음주 수요일은 며칠이야?', '2026-11-25'],
    ['2027년 5월 5일은 무슨 요일?', '수요일'],
    ['이번 달 말일은 언제야', '2026-11-30'],
    ['what weekday is Christmas this year?', 'Friday, 2026-12-25'],
    ['on which weekday does Christmas fall?', 'Friday, 2026-12-25'],
    ['Christmas weekday', 'Friday, 2026-12-25'],
    ['크리스마스까지 며칠 남았어?', '35일 남았습니다'],
    ['추석은 언제야?', '2027-09-15'],
    ['내년 설날은 며칠이야', '2027-02-07'],
    ['3월 1일부터 4월 15일까지 며칠이야?', '45일입니다 (첫날도 세면 46일)'],
    ['3월 1일에서 100일 뒤는 언제야', '2026-06-09'],
    ['2024년은 윤년이야?', '2024년은 윤년입니다'],
    ['1900년은 윤년이야?', '윤년이 아닙니다'],
    ['2월은 며칠까지 있어?', '28일까지'],
    ['2월 30일은 무슨 요일이야?', '그런 날짜는 없습니다'],
    ['2027-02-29 무슨 요일', '그런 날짜는 없습니다'],
    ['what day is 3 March 2027', 'Wednesday, 2027-03-03'],
    ['what day of the week is July 4, 2027?', 'Sunday'],
    ["what's the date next Monday?", '2026-11-23'],
    ['what date is 2 weeks from today', '2026-12-04'],
    ['next Sunday is what date', 'The nearest one is Sunday, 2026-11-22; that of the other week is Sunday, 2026-11-29.'],
    ['how many days until Christmas?', 'It is 35 days until Friday, 2026-12-25.'],
    ['how many days between 1 Jan 2027 and 1 Feb 2027?', '31 days'],
    ['10 days after Christmas is what day?', '2027-01-04'],
    ['is 2028 a leap year?', 'Yes'],
    ['how many days in February 2028', '29 days'],
    ['what year is it?', '2026'],
  ])('%s → %s', (sentence, part) => {
    expect(answer(sentence)).toContain(part);
  });

  it.each([
    '연차는 며칠이야?',
    '휴가는 언제 쓸 수 있어?',
    '배송은 며칠 걸려?',
    '내 생일이 언제야?',
    '회의가 언제야?',
    '회의 3일 전에 알려줘',
    '내일 뭐 해?',
    '내일 회의는 무슨 요일이야?',
    '3/4/2027 is what day',
    'when is the meeting?',
    'what day is the deadline',
    'when did the war end',
    'how many days of leave do I get',
    'how long until it ends',
    '100일이 며칠이야',
    '13월 1일 회의는 며칠이야',
    '',
  ])('leaves %j unanswered', (sentence) => {
    expect(answer(sentence)).toBeUndefined();
  });
});

describe('the calendar', () => {
  const day = fc.integer({ min: -700_000, max: 2_900_000 });
  const utc = (number: number): Date => new Date(number * millisPerDay);

  it('matches Date.UTC for every day', () => {
    fc.assert(
      fc.property(day, (number) => {
        const date = utc(number);
        fc.pre(date.getUTCFullYear() >= 1 && date.getUTCFullYear() <= 9999);
        const found = fromDayNumber(number);
        expect(found).toEqual({ year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() });
        expect(toDayNumber(found)).toBe(number);
        expect(weekdayOf(found)).toBe((date.getUTCDay() + 6) % 7);
        expect(isoDay(found)).toBe(date.toISOString().slice(0, 10));
        expect(daysInMonth(found.year, found.month)).toBe(new Date(Date.UTC(found.year + 400, found.month, 0)).getUTCDate());
      }),
    );
  });

  it('answers questions about generated days like Date.UTC', () => {
    const near = fc.integer({ min: 0, max: 30_000 });
    fc.assert(
      fc.property(near, near, fc.integer({ min: 1, max: 9_999 }), (a, b, count) => {
        const [first, last] = [utc(Math.min(a, b)), utc(Math.max(a, b))].map((date) => date.toISOString().slice(0, 10));
        expect(answer(`${first}부터 ${last}까지 며칠이야?`)).toContain(` ${Math.abs(a - b)}일입니다`);
        expect(answer(`how many days between ${first} and ${last}?`)).toContain(`it is ${Math.abs(a - b)} day`);
        const weekday = (utc(a).getUTCDay() + 6) % 7;
        expect(answer(`${utc(a).toISOString().slice(0, 10)}은 무슨 요일이야?`)).toContain(weekdayNames.ko[weekday] ?? '-');
        const later = new Date(Date.UTC(2026, 10, 20 + count)).toISOString().slice(0, 10);
        const earlier = new Date(Date.UTC(2026, 10, 20 - count)).toISOString().slice(0, 10);
        expect(answer(`${count}일 뒤는 며칠이야?`)).toContain(later);
        expect(answer(`${count}일 전은 며칠이었어?`)).toContain(earlier);
        expect(answer(`what date is ${count} days from today?`)).toContain(later);
      }),
    );
  });

  it('adds months up to the last day of a shorter month', () => {
    expect(addMonths({ year: 2027, month: 1, day: 31 }, 1)).toEqual({ year: 2027, month: 2, day: 28 });
    expect(addMonths({ year: 2027, month: 1, day: 31 }, -11)).toEqual({ year: 2026, month: 2, day: 28 });
    expect(daysBetween(today, addDays(today, 400))).toBe(400);
    expect(describeDay(today, false)).toBe('Friday, 2026-11-20');
  });
});
