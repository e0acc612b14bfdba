import { confirmValue, createAnswerFinder, parseContract } from 'agent-machines/contracts';
import { describe, expect, it } from 'vitest';

const garage = parseContract({
  name: '차고.txt',
  text: `차고 임대차계약서

제1조(보증금과 차임) 보증금은 700만원, 차임은 월 45만원으로 한다. 늦으면 연 6퍼센트를 더한다.

제2조(기간) 2027년 3월 2일부터 36개월로 한다.

제3조(해지) 임차인은 두 달 전에 알리고 해지할 수 있다.
`,
});
const orchard = parseContract({
  name: 'orchard.txt',
  text: `ORCHARD LEASE

This Lease is dated June 4, 2027.

1. RENT. Grower pays $900 each quarter. After ten days a late charge of 3% is due.

2. TERM. Seven years from July 1, 2027.

3. WATER. Grower pays $40 for water and $60 for power.
`,
});

const confirmed = async (document: typeof garage, question: string) => {
  const { passages } = (await createAnswerFinder(document)).find(question);
  const found = confirmValue(
    question,
    passages.map(({ article, text }) => ({ title: article.title, text })),
  );
  return found && [found.isRight, found.value];
};

describe('confirmValue', () => {
  it.each([
    [garage, '월세는 45만원이지?', [true, '45만원']],
    [garage, '월세는 60만원 맞죠?', [false, '45만원']],
    [garage, '보증금은 45만원인가요?', [false, '700만원']],
    [garage, '보증금 칠백만원 내는 거 맞지?', [true, '700만원']],
    [garage, '계약기간은 3년이죠?', [true, '36개월']],
    [garage, '계약기간은 4년이야?', [false, '36개월']],
    [orchard, 'The rent is $900, right?', [true, '$900']],
    [orchard, 'the rent is $1,000, correct?', [false, '$900']],
    [orchard, 'Is the late charge five percent?', [false, '3%']],
    [orchard, 'The term is seven years, isn’t it?', [true, 'Seven years']],
  ])('of %o answers %j', async (document, question, expected) => {
    expect(await confirmed(document, question)).toEqual(expected);
  });

  it.each([
    ['is no statement', garage, '월세를 45만원으로 올릴 수 있나요?'],
    ['only mentions a value', orchard, 'Is there a penalty if I pay 10 days late?'],
    ['asks about something else', orchard, 'The deposit is $900, right?'],
    ['has no subject', garage, '45만원이지?'],
    ['fits two values', orchard, 'The water and power are $50, right?'],
    ['states another of many dates', orchard, 'The lease is from May 1, 2027, right?'],
    ['asks for a rate that the title does not settle', orchard, 'The rent is 9%, right?'],
  ])('returns nothing if the question %s', async (_, document, question) => {
    expect(await confirmed(document, question)).toBeUndefined();
  });
});
