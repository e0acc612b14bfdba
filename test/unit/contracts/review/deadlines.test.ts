import { parseContract, reviewContract } from 'agent-machines/contracts';
import { describe, expect, it } from 'vitest';

const koreanAt = (signed: string, ...articles: readonly string[]): string =>
  `용역계약서\n\n가람(이하 "갑"이라 한다)과 나루(이하 "을"이라 한다)는 다음과 같이 계약한다.\n\n${articles.map((text, index) => `제${index + 1}조(조건) ${text}`).join('\n')}\n\n위와 같이 계약을 체결한다.\n\n${signed.replace(/(\d+)-0?(\d+)-0?(\d+)/, '$1년 $2월 $3일')}\n\n갑: 가람 (인)\n을: 나루 (인)\n`;
const korean = (...articles: readonly string[]): string => koreanAt('2026-03-02', ...articles);
const englishAt = (effective: string, ...articles: readonly string[]): string =>
  `SERVICES AGREEMENT\n\nThis Agreement is made as of ${effective} (the "Effective Date") between Alder Ltd. ("Client") and Birch Ltd. ("Consultant").\n\n${articles.map((text, index) => `${index + 1}. Point. ${text}`).join('\n')}\n`;
const reviewOf = (text: string, holidays?: readonly string[]) =>
  reviewContract(parseContract({ name: 'contract.md', text }), holidays === undefined ? {} : { holidays });

const dateOf = (text: string, holidays?: readonly string[]): string | undefined => reviewOf(text, holidays).deadlines[0]?.date;

describe('a period of months', () => {
  it.each([
    ['2026-01-31', '2026-02-28'],
    ['2026-02-28', '2026-03-31'], // it begins on March 1, so it ends with March
    ['2026-03-02', '2026-04-02'],
    ['2024-01-30', '2024-02-29'],
  ])('counts from the next day in a Korean contract: %s → %s', (signed, date) => {
    expect(dateOf(koreanAt(signed, '을은 계약 체결일로부터 1개월 이내에 증권을 낸다.', '효력은 법에 따른다.'))).toBe(date);
  });

  it.each([
    ['2026-01-31', '2026-02-28'],
    ['2026-02-28', '2026-03-28'],
    ['2024-02-29', '2024-03-29'],
  ])('ends on the day with the same number in an English contract: %s → %s', (effective, date) => {
    expect(dateOf(englishAt(effective, 'Client shall pay within one month after the Effective Date.', 'Peace.'))).toBe(date);
  });

  it('before a day ends with a shorter month', () => {
    const term = '계약기간은 2026년 4월 1일부터 2027년 3월 31일까지로 한다.';
    expect(dateOf(korean(term, '을은 계약기간 만료 1개월 전까지 알린다.'))).toBe('2027-02-28');
  });
});

describe('business days', () => {
  const text = englishAt('2026-03-02', 'Client shall name a contact within 5 business days after the Effective Date.', 'Peace.');

  it('skip weekends', () => {
    expect(dateOf(text)).toBe('2026-03-09');
    expect(reviewOf(text).deadlines[0]?.rule).toContain('holidays are not known');
  });

  it('skip holidays only if they are given', () => {
    expect(dateOf(text, ['2026-03-05'])).toBe('2026-03-10');
  });

  it('count backwards, too', () => {
    const term = 'The term begins on 1 March 2026 and ends on 2 March 2027.';
    expect(dateOf(englishAt('2026-03-02', term, 'Client shall reply at least 5 working days before the end of the term.'))).toBe(
      '2027-02-23',
    );
  });
});

describe('deadlines', () => {
  it('say how they were computed and who must act', () => {
    const { deadlines } = reviewOf(korean('을은 계약 체결일로부터 10일 이내에 증권을 낸다.', '효력은 법에 따른다.'));
    expect(deadlines).toMatchObject([
      { who: '을', date: '2026-03-12', what: '계약 체결일로부터 10일 이내', rule: '2026-03-02(계약 체결일)부터 10일, 첫날은 빼고 셈함' },
    ]);
  });

  it('name the day to which a weekend moves them', () => {
    const { deadlines, notes } = reviewOf(korean('을은 2026년 5월 30일까지 납품한다.', '효력은 법에 따른다.'), ['2026-06-01']);
    expect(deadlines[0]).toMatchObject({ date: '2026-05-30', note: expect.stringContaining('2026-06-02') });
    expect(notes.join()).toContain('주어진 공휴일');
  });

  it('have no date if they depend on an event or on a date that is not stated', () => {
    const text = korean(
      '을은 통지를 받은 날부터 3일 이내에 답한다.',
      '갑은 착수일부터 5일 이내에 자료를 준다.',
      '을은 계약기간 만료 1개월 전까지 알린다.',
    );
    const { deadlines } = reviewOf(text);
    expect(deadlines.map(({ date }) => date)).toEqual([undefined, undefined, undefined]);
    expect(deadlines[0]?.rule).toBe('사건에 따라 정해진다: 통지를 받은 날');
    expect(deadlines[2]?.rule).toContain('계약기간 만료일');
  });

  it('count from a date that the contract names', () => {
    const text = korean('착수일은 2026년 4월 6일로 한다.', '을은 착수일부터 5영업일 이내에 계획서를 낸다.');
    expect(reviewOf(text).deadlines).toMatchObject([{ date: '2026-04-13' }]);
  });

  it('without a key date in two different places decide nothing', () => {
    const text = korean('을은 계약 체결일로부터 10일 이내에 낸다.', '효력은 법에 따른다.').replace('갑: 가람', '2026년 3월 9일\n갑: 가람');
    expect(reviewOf(text).deadlines[0]?.date).toBeUndefined();
  });
});

describe('the term', () => {
  const english = (term: string): string =>
    `SERVICES AGREEMENT\n\nThis Agreement is made as of 2 March 2026 (the "Effective Date") between Alder Ltd. ("Client") and Birch Ltd. ("Consultant").\n\n1. Term. ${term}\n2. Notices. Notices are in writing.\n`;

  it.each([
    ['The term begins on 1 May 2026 and ends on 30 April 2027.', '2026-05-01', '2027-04-30'],
    ['This Agreement commences on 1 May 2026 and runs for two years.', '2026-05-01', '2028-04-30'],
    ['The term is one year from the Effective Date.', '2026-03-02', '2027-03-02'],
    ['The employment begins on 1 May 2026 with a probation period of three months.', '2026-05-01', undefined],
  ])('%s', (sentence, start, end) => {
    const { term } = reviewOf(english(sentence));
    expect([term.start, term.end]).toEqual([start, end]);
  });

  it('of a Korean contract counts its first day', () => {
    const { term } = reviewOf(korean('계약기간은 2026년 4월 1일부터 2년간으로 한다.', '효력은 법에 따른다.'));
    expect(term).toMatchObject({ start: '2026-04-01', end: '2028-03-31', rule: expect.stringContaining('첫날을 넣어') });
  });
});
