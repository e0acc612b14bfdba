import { type ContractReview, parseContract, reviewContract } from 'agent-machines/contracts';
import { describe, expect, it } from 'vitest';

const review = (text: string): ContractReview => reviewContract(parseContract({ name: 'contract.md', text }));
const english = (sentence: string): ContractReview =>
  review(
    `HIRE AGREEMENT\n\nThis Agreement is made as of 3 July 2028 between Wren Ltd. ("Owner") and Finch Ltd. ("Hirer").\n\n1. Point. ${sentence}\n2. Notices. Notices are in writing.\n`,
  );
const korean = (sentence: string): ContractReview =>
  review(
    `임대차계약서\n\n여울(이하 "갑"이라 한다)과 다솜(이하 "을"이라 한다)은 다음과 같이 계약한다.\n\n제1조(조건) ${sentence}\n제2조(통지) 통지는 서면으로 한다.\n`,
  );

describe('a sentence that denies a clause', () => {
  it.each([
    'This hire will at no time be extended automatically.',
    'An automatic extension of the hire is ruled out.',
    'The Owner and the Hirer exclude any automatic renewal.',
    'The hire runs for a year without any automatic renewal.',
    'The courts of Ghent do not have exclusive jurisdiction.',
    'Nothing in these terms gives one court exclusive jurisdiction.',
    'Overdue sums carry interest of 4 % per year, never 25 % per year.',
    'The Hirer will not forfeit the deposit.',
    'Liability of the Hirer is unlimited only where it acts with intent; otherwise it is capped at the yearly rent.',
    'The Hirer is not bound to pay a penalty of EUR 40 for each day of delay.',
  ])('is no finding: %s', (sentence) => {
    expect(english(sentence).findings).toEqual([]);
  });

  it.each([
    '보증금은 어떤 이유로도 갑에게 귀속되지 않는다.',
    '을은 위약벌로 300만원을 납부할 의무가 없다.',
    '연체료는 연 4%로 하고 연 24%를 적용하지 아니한다.',
    '분쟁이 생겨도 갑의 주소지 법원을 관할로 정하지 아니한다.',
    '갑은 이미 낸 요금을 환불하지 아니할 수 없다.',
  ])('is no finding in Korean: %s', (sentence) => {
    expect(korean(sentence).findings).toEqual([]);
  });
});

describe('a sentence whose negation may concern something else', () => {
  it.each([
    ['If the Hirer does not object the hire is renewed automatically.', 'automatic-renewal'],
    ['"Automatic renewal" means that the hire is renewed automatically for another year.', 'automatic-renewal'],
    ['Overdue sums carry interest of 22 % per year, not 4 % per year.', 'high-interest'],
  ])('is to look at, not certain: %s', (sentence, kind) => {
    expect(english(sentence).findings).toMatchObject([{ kind, confidence: 'look' }]);
  });

  it.each([
    ['The hire is renewed automatically unless notice is given not less than 30 days before its end.', 'automatic-renewal'],
    ['The Hirer shall not take part in a competing business for two years.', 'non-compete'],
    ['The Owner does not have to accept late payments of the rent, and the Hirer waives all claims.', 'waiver'],
  ])('remains certain if it is another clause or part of the rule: %s', (sentence, kind) => {
    expect(english(sentence).findings).toMatchObject([{ kind, confidence: 'certain' }]);
  });

  it.each([
    ['을이 물건을 돌려주지 아니하면 보증금은 갑에게 귀속한다.', 'deposit-forfeited'],
    ['을이 해지를 통지하지 아니하는 한 계약은 자동으로 연장된다.', 'automatic-renewal'],
  ])('remains certain in Korean: %s', (sentence, kind) => {
    expect(korean(sentence).findings).toMatchObject([{ kind, confidence: 'certain' }]);
  });
});
