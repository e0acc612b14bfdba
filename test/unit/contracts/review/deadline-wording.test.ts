import { type ContractReview, parseContract, reviewContract } from 'agent-machines/contracts';
import { describe, expect, it } from 'vitest';

const review = (text: string): ContractReview => reviewContract(parseContract({ name: 'contract.md', text }));
const english = (sentence: string): ContractReview =>
  review(
    `SERVICES AGREEMENT\n\nThis Agreement is made as of 3 July 2028 (the "Effective Date") between Wren Ltd. ("Client") and Finch Ltd. ("Consultant").\n\n1. Point. ${sentence}\n2. Notices. Notices are in writing.\n`,
  );
const korean = (sentence: string): ContractReview =>
  review(
    `용역계약서\n\n여울(이하 "갑"이라 한다)과 다솜(이하 "을"이라 한다)은 다음과 같이 계약한다.\n\n제1조(조건) ${sentence}\n제2조(통지) 통지는 서면으로 한다.\n\n위와 같이 계약을 체결한다.\n\n2028년 7월 3일\n\n갑: 여울 (인)\n을: 다솜 (인)\n`,
  );
const datesOf = ({ deadlines }: ContractReview): readonly (string | undefined)[] => deadlines.map(({ date }) => date);

describe('a period beside a written date', () => {
  it.each([
    ['The Consultant shall ship the parts within 20 days after November 20, 2028.', '2028-12-10'],
    ['The Client shall protest at least 10 days before October 15, 2028, in writing.', '2028-10-05'],
    ['The Client shall give at least 14 days prior written notice before 1 September 2028.', '2028-08-18'],
    ['The Client must answer no later than 2 business days prior to August 14, 2028.', '2028-08-10'],
    ['The Consultant shall report within six weeks from Sept. 4, 2028.', '2028-10-16'],
  ])('counts from it, and the date itself is no deadline: %s', (sentence, date) => {
    expect(datesOf(english(sentence))).toEqual([date]);
  });

  it.each([
    ['을은 2028. 9. 4.부터 2주 이내에 견본을 제출하여야 한다.', '2028-09-18'],
    ['갑은 2028. 10. 20.로부터 5일 이내에 회신한다.', '2028-10-25'],
    ['을은 2028. 12. 1. 10일 전까지 알려야 한다.', '2028-11-21'],
  ])('counts from a date with dots: %s', (sentence, date) => {
    expect(datesOf(korean(sentence))).toEqual([date]);
  });
});

describe('a written date', () => {
  it.each([
    ['The Client shall pay no later than the 9th of October 2028.', '2028-10-09'],
    ['The Consultant shall move out by 2028/11/07.', '2028-11-07'],
    ['The Client shall inspect the site on or before Aug. 21, 2028.', '2028-08-21'],
    ['The Consultant shall hand over the keys by the end of September 2028.', '2028-09-30'],
    ['The Client shall sign by the last day of February 2032.', '2032-02-29'],
  ])('is a deadline: %s', (sentence, date) => {
    expect(datesOf(english(sentence))).toEqual([date]);
  });

  it.each([
    ['갑은 2028년 11월 말일까지 잔금을 지급한다.', '2028-11-30'],
    ['을은 2032년 2월 말까지 장부를 제출한다.', '2032-02-29'],
    ['을은 2028. 8. 31.까지 도면을 납품하여야 한다.', '2028-08-31'],
    ["갑은 '28. 10. 2.까지 자료를 제공하여야 한다.", '2028-10-02'],
  ])('is a deadline in Korean: %s', (sentence, date) => {
    expect(datesOf(korean(sentence))).toEqual([date]);
  });

  it.each([
    [english('The Client shall pay by September 31, 2028.'), 'The date does not exist in the calendar.'],
    [english('The Client shall pay within 5 days after 30 February 2029.'), 'The date does not exist in the calendar.'],
    [english('The Client shall pay by 5/6/2028.'), 'The date can be read in two ways: day and month are not clear.'],
    [korean('갑은 2028년 11월 31일까지 지급한다.'), '달력에 없는 날짜이다.'],
  ])('that is none is listed with its reason', (found, rule) => {
    expect(found.deadlines).toMatchObject([{ rule }]);
    expect(datesOf(found)).toEqual([undefined]);
  });

  it('with dots bounds the term', () => {
    expect(korean('계약기간은 2028. 8. 1.부터 2029. 7. 31.까지로 한다.').term).toMatchObject({ start: '2028-08-01', end: '2029-07-31' });
  });

  it('settles the time of payment', () => {
    const points = ({ absent }: ContractReview) => absent.map(({ point }) => point);
    expect(points(korean('갑은 2028. 9. 29.까지 잔금을 지급하여야 한다.'))).not.toContain('payment');
    expect(points(english('The Client shall pay EUR 700 not later than 5 August 2028.'))).not.toContain('payment');
    expect(points(english('The Consultant shall paint the hall by 5 August 2028.'))).toContain('payment');
  });
});
