import { type ContractReview, parseContract, reviewContract } from 'agent-machines/contracts';
import { describe, expect, it } from 'vitest';

const review = (text: string, as: string): ContractReview => reviewContract(parseContract({ name: 'contract.md', text }), { as });
const english = (sentence: string): ContractReview =>
  review(
    `DESIGN AGREEMENT\n\nThis Agreement is made as of 3 July 2028 between Wren Ltd. ("Customer") and Finch Ltd. ("Designer").\n\n1. Point. ${sentence}\n2. Notices. Notices are in writing.\n`,
    'Designer',
  );
const korean = (sentence: string): ContractReview =>
  review(
    `디자인계약서\n\n여울(이하 "갑"이라 한다)과 다솜(이하 "을"이라 한다)은 다음과 같이 계약한다.\n\n제1조(조건) ${sentence}\n제2조(통지) 통지는 서면으로 한다.\n`,
    '을',
  );
const sidesOf = ({ findings }: ContractReview) => findings.map(({ kind, side }) => [kind, side]);

describe('a finding in a sentence with both parties', () => {
  it.each([
    ['The Designer will be paid by the Customer within 75 days after the invoice.', 'long-payment-term', 'against'],
    ['The Designer acknowledges that the Customer will not be responsible for any loss.', 'liability-excluded', 'against'],
    ['The Customer acknowledges that the Designer will not be responsible for any loss.', 'liability-excluded', 'for'],
    ['The Designer gets no refund of fees paid to the Customer.', 'no-refund', 'against'],
    ['Fees paid to the Customer are not refunded.', 'no-refund', undefined],
    ['The Designer shall be paid the agreed fee within 80 days after the invoice.', 'long-payment-term', undefined],
  ])('is for or against the right one, or not clear: %s', (sentence, kind, side) => {
    expect(sidesOf(english(sentence))).toEqual([[kind, side]]);
  });

  it.each([
    ['을은 갑에게서 납품 후 70일 이내에 보수를 지급받는다.', 'long-payment-term', 'against'],
    ['을은 보수를 납품 후 70일 이내에 지급받는다.', 'long-payment-term', undefined],
    ['을은 갑이 동종 영업을 하지 아니할 것을 갑에게 청구할 수 있다.', 'non-compete', 'for'],
    ['갑은 을이 동종 영업을 하지 아니할 것을 청구할 수 있다.', 'non-compete', 'against'],
    ['갑은 을이 5일 안에 회신하지 않는 경우 동의한 것으로 본다.', 'silence-consent', 'against'],
    ['을은 갑이 5일 안에 회신하지 않는 경우 동의한 것으로 본다.', 'silence-consent', 'for'],
  ])('is for or against the right one in Korean, or not clear: %s', (sentence, kind, side) => {
    expect(sidesOf(korean(sentence))).toEqual([[kind, side]]);
  });

  it('names the party that acts by a deadline', () => {
    const [deadline] = english('The Designer must be informed by the Customer within 4 days after delivery.').deadlines;
    expect(deadline?.who).toBe('Customer');
  });
});
