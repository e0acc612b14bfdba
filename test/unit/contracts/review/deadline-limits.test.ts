import { type ContractReview, parseContract, reviewContract } from 'agent-machines/contracts';
import { describe, expect, it } from 'vitest';

const review = (text: string): ContractReview => reviewContract(parseContract({ name: 'contract.md', text }));
const english = (sentence: string): ContractReview =>
  review(
    `SUPPLY AGREEMENT\n\nThis Agreement is made as of 3 July 2028 (the "Effective Date") between Wren Ltd. ("Buyer") and Finch Ltd. ("Seller").\n\n1. Point. ${sentence}\n2. Notices. Notices are in writing.\n`,
  );
const korean = (sentence: string): ContractReview =>
  review(
    `물품공급계약서\n\n여울(이하 "갑"이라 한다)과 다솜(이하 "을"이라 한다)은 다음과 같이 계약한다.\n\n제1조(조건) ${sentence}\n제2조(통지) 통지는 서면으로 한다.\n\n위와 같이 계약을 체결한다.\n\n2028년 7월 3일\n\n갑: 여울 (인)\n을: 다솜 (인)\n`,
  );

describe('a time in which nobody must act', () => {
  it.each([
    english('The Seller is not obliged to answer within 8 days after the Effective Date.'),
    english('The Buyer need not collect the goods by 4 September 2028.'),
    english('The Buyer has no duty to test the goods within 12 days after delivery.'),
    korean('을은 계약 체결일로부터 20일 이내에 견본을 보낼 의무가 없다.'),
    korean('갑은 2028년 9월 4일까지 물건을 찾아가지 않아도 된다.'),
  ])('is no deadline', ({ deadlines }) => {
    expect(deadlines).toEqual([]);
  });
});

describe('a time that is no deadline', () => {
  const early = /earliest day|가장 이른 날/;
  const ban = /forbidden|금지/;
  const choice = /compete|나중에 오는/;

  it.each([
    ['The Seller shall deliver no sooner than 6 days after the Effective Date.', early],
    ['The Buyer shall not collect the goods earlier than 9 days after the Effective Date.', early],
    ['The Seller may not sell the machine before October 2, 2028.', ban],
    ['The Buyer shall not, in any case, resell the goods until 2 October 2028.', ban],
    ['The Buyer shall pay within 7 days after the Effective Date or on delivery, whichever is earlier.', choice],
  ])('has a reason instead of a date: %s', (sentence, rule) => {
    expect(english(sentence).deadlines.map(({ date, rule }) => [date, rule])).toEqual([[undefined, expect.stringMatching(rule)]]);
  });

  it.each([
    ['을은 계약 체결일로부터 15일이 경과하기 전에는 물건을 팔지 못한다.', early],
    ['을은 2028. 11. 30.까지 같은 물건을 다른 곳에 팔지 아니한다.', ban],
    ['갑은 계약 체결일로부터 9일 이내 또는 인도일 중 늦은 날까지 대금을 지급한다.', choice],
  ])('has a reason instead of a date in Korean: %s', (sentence, rule) => {
    expect(korean(sentence).deadlines.map(({ date, rule }) => [date, rule])).toEqual([[undefined, expect.stringMatching(rule)]]);
  });

  it.each([
    [english('The Seller shall not later than 11 September 2028 deliver the spare parts.'), '2028-09-11'],
    [english('If the Buyer does not object within 10 days after the Effective Date, the list is final.'), '2028-07-13'],
    [english('The Buyer is not required to store the goods but shall unpack them within 5 days after the Effective Date.'), '2028-07-08'],
    [korean('을이 계약 체결일로부터 10일 이내에 이의를 제기하지 아니하면 목록은 확정된다.'), '2028-07-13'],
  ])('is not seen in a real deadline', ({ deadlines }, date) => {
    expect(deadlines.map((one) => one.date)).toEqual([date]);
  });
});

describe('a deadline on a weekend', () => {
  it('moves forward only if it ends a period, never before an event', () => {
    const term = '계약기간은 2028년 8월 1일부터 2029년 1월 15일까지로 한다.';
    const [before] = korean(`${term} 을은 계약기간 만료일 9일 전까지 알린다.`).deadlines;
    expect(before).toMatchObject({ date: '2029-01-06', note: '토요일, 일요일 또는 주어진 공휴일이다.' });
    const [after] = korean('을은 계약 체결일로부터 5일 이내에 알린다.').deadlines;
    expect(after).toMatchObject({ date: '2028-07-08', note: expect.stringContaining('2028-07-10') });
  });
});

describe('a sentence that frees a party', () => {
  it.each([
    english('The Buyer shall not be responsible for customs fees.'),
    english('The Seller will have no obligation to insure the goods.'),
    korean('을은 보관의무를 부담하지 아니한다.'),
    korean('갑은 운송비를 지급하지 아니한다.'),
  ])('is no duty', ({ duties }) => {
    expect(duties).toEqual([]);
  });

  it.each([
    [english('The Seller shall not be liable for rust but shall replace broken parts.'), 'Seller'],
    [english('The Buyer shall not disclose the prices.'), 'Buyer'],
    [korean('을은 가격을 누설하지 아니한다.'), '을'],
  ])('may still contain one, and a ban is one', ({ duties }, who) => {
    expect(duties.map((one) => one.who)).toEqual([who]);
  });
});
