import { describe, expect, it } from 'vitest';
import { checkCitations } from '../../../src/citations/check-citations.ts';
import { parseContract } from '../../../src/contracts/parse/parse-contract.ts';

const contract = parseContract({
  name: 'boat.md',
  text: `# 보트 대여계약서

제1조(목적) 보트를 빌리는 일을 정한다.

제2조(요금) ① 요금은 하루 120,000원으로 한다.
② 빌린 사람은 제4조의 날부터 14일 이내에 낸다.

제3조(지연) 늦으면 하루마다 요금의 1,000분의 5를 더한다.

제4조(반납) 2027년 5월 31일까지 "깨끗한 상태로" 돌려준다.

제5조(보험) 빌린 사람이 보험을 든다.
`,
});
const read = contract.articles.filter(({ label }) => ['제2조', '제3조', '제4조'].includes(label));
const wrong = (answer: string, background: readonly string[] = []): string[] =>
  checkCitations(answer, { documents: [contract], read, background })
    .filter(({ status }) => status !== 'supported')
    .map(({ label, quote, status }) => [label, quote, status].filter(Boolean).join(' / '));

describe('checkCitations', () => {
  // biome-ignore format: one answer a line
  it.each([
    ['제2조에 따라 하루 120,000원입니다.', []],
    ['제99조에 따르면 1억원입니다.', ['제99조 / unknown', '1억원 / unsupported']],
    ['이 계약에는 제99조가 없습니다.', []],
    ['제99조를 찾지 못했습니다.', []],
    ['The contract has no Article 99.', []],
    ['제99조와 제44조는 없습니다.', []],
    ['There is no Article 44. Article 45 does not exist.', []],
    ['제99조는 위약금을 낼 필요가 없다고 정합니다.', ['제99조 / unknown']],
    ['Article 99 says the renter need not pay.', ['Article 99 / unknown']],
    ['According to Article 99 it is $5,000.', ['Article 99 / unknown', '$5,000 / unsupported']],
    ['제2조 제9항에 따릅니다.', ['제2조 제9항 / unknown']],
    ['제5조가 정합니다.', ['제5조 / unread']],
    ['제2조 내지 제5조를 보세요.', ['제5조 / unread']],
    ['민법 제750조에 따라 배상합니다.', []],
    ['「상법」 제54조는 연 6%입니다.', ['6% / unsupported']],
    ['제4조는 “2027년 5월 31일까지 깨끗한 상태로 돌려준다”고 합니다.', []],
    ['제2조: “빌린 사람은 … 14일 이내에 낸다.”', []],
    ['제2조: "빌린 사람은 제4조의 날부터 30일 이내에 낸다"', ['제2조 / 빌린 사람은 제4조의 날부터 30일 이내에 낸다 / misquoted', '30일 / unsupported']],
    ['제4조: “늦으면 하루마다 요금의 1,000분의 5를 더한다.”', ['제4조 / 늦으면 하루마다 요금의 1,000분의 5를 더한다. / misquoted']],
    ['제3조\n> 늦으면 하루마다 요금의 1,000분의 5를 더한다.', []],
    ['제3조\n> 늦으면 하루마다 요금의 1,000분의 9를 더한다.', ['제3조 / 늦으면 하루마다 요금의 1,000분의 9를 더한다. / misquoted', '1,000분의9 / unsupported']],
    ['제2조(요금)\n> ② 빌린 사람은 제4조의 날부터 14일 이내에 낸다.\n> ① 요금은 하루 120,000원으로 한다.', []],
    ['늦으면 하루 0.5%를 더합니다.', []],
    ['두 주일, 곧 2주 안에 냅니다.', []],
    ['5월 31일까지, 즉 2027년 5월까지입니다.', []],
    ['6월 30일까지입니다.', ['6월 30일 / unsupported']],
    ['12만원씩 3일이면 120,000원 × 3 = 360,000원입니다.', []],
    ['모두 400,000원입니다.', ['400,000원 / unsupported']],
    ['within two weeks, that is 14 days', []],
    ['by 31 May 2027', []],
    ['by 30 June 2027', ['30 June 2027 / unsupported']],
  ])('of %j', (answer, expected) => {
    expect(wrong(answer, answer.includes('3일') ? ['3일 빌리면?'] : [])).toEqual(expected);
  });

  it('takes a place that an article refers to for read from there, and a figure of the question for the question’s', () => {
    const some = contract.articles.filter(({ label }) => label === '제2조');
    const of = (answer: string, background: readonly string[]) => checkCitations(answer, { documents: [contract], read: some, background });
    expect(of('제2조는 제4조의 날을 말합니다. 45일이면 늦습니다.', ['제99조에서 45일 늦으면?']).map(({ status }) => status)).toEqual([
      'supported',
      'supported',
    ]);
    expect(of('제99조에 따라 45일입니다.', ['제99조에서 45일 늦으면?']).map(({ status }) => status)).toEqual(['unknown']);
  });

  it('parts neighbours of a list where the contract has both and not one in the other', () => {
    const lease = parseContract({
      name: 'lease.md',
      text: '# Lease\n\nSection 1. Rent\nThe rent is due monthly.\n\nSection 3. Term\nTwo years.\n\nExhibit A\nThe keys.\n\nExhibit B\n\nSection 1. Lights\nTen lights.\n',
    });
    const status = (answer: string): string[] =>
      checkCitations(answer, { documents: [lease], read: lease.articles }).map((one) => `${one.label} ${one.status}`);
    expect(status('See also: Exhibit A, Section 3')).toEqual(['Exhibit A supported', 'Section 3 supported']);
    expect(status('See also: Exhibit B, Section 1')).toEqual(['Exhibit B, Section 1 supported']);
    expect(status('See also: Exhibit A, Section 9')).toEqual(['Exhibit A, Section 9 unknown']);
    expect(status('Section 3 of Exhibit A says so.')).toEqual(['Exhibit A, Section 3 unknown']);
  });

  it('names all that it has checked', () => {
    expect(checkCitations('제3조: “하루마다 요금의 1,000분의 5를 더한다”', { documents: [contract], read })).toEqual([
      { label: '제3조', quote: '', status: 'supported' },
      { label: '제3조', quote: '하루마다 요금의 1,000분의 5를 더한다', status: 'supported' },
    ]);
  });
});
