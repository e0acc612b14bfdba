import { createRuntime } from 'agent-machines';
import { type ContractDocument, parseContract } from 'agent-machines/contracts';
import { contractAgent } from 'agent-machines/machines/contract-agent';
import { describe, expect, it } from 'vitest';
import { contract, english } from './helpers.ts';

const licence = parseContract({
  name: 'kiln.md',
  text: `# Kiln Licence

ARTICLE I
USE

Section 1.01 Rooms. The Guest may use:
(a) the kiln room; and
(b) the yard.

Section 1.02 Visitors. Three at most, subject to Section 2.01.

ARTICLE II
PRICE

Section 2.01 Amount. The Guest pays ____________ dollars within ten days.

SCHEDULE 3.01
House Rules

Be kind.
`,
});

async function ask(question: string, document: ContractDocument = contract) {
  const result = await createRuntime().start(contractAgent({ contracts: [{ contract: document }] }), { input: question }).result;
  if (result.status !== 'done') throw new Error(result.status);
  const { answer, sources, citations } = result.output;
  return { answer, labels: sources.map(({ label }) => label), wrong: citations.filter(({ status }) => status !== 'supported') };
}

describe('places of the contract in contract-agent', () => {
  it.each([
    ['제2조 제2항은?', ['제2조 제2항'], '제2조 제2항(계약기간)\n> ② 기간이 끝나기 30일 전까지 어느 쪽도 반대하지 않으면 1년씩 갱신된다.'],
    ['3조 1항 보여줘', ['제3조 제1항'], '제3조 제1항(대금)\n> ① 갑은 을에게 총 6,000만원을 지급한다.'],
    ['별지 1의 2호가 뭐야?', ['별지 1'], undefined],
    ['부칙 제1조', ['부칙 제1조'], undefined],
    ['제2조 제9항은?', [], '계약서에서 제2조 제9항을 찾지 못했습니다. 이 계약서에는 제1조부터 제10조의2까지 있습니다.'],
  ] as const)('answers %s with that part', async (question, labels, answer) => {
    const answered = await ask(question);
    expect([answered.labels, answered.wrong]).toEqual([labels, []]);
    if (answer !== undefined) expect(answered.answer).toBe(answer);
  });

  it.each([
    ['What does section 1.02 say?', ['Section 1.02', 'Section 2.01']],
    ['1.01(a)?', ['Section 1.01(a)']],
    ['Sec. 1.1 (b)', ['Section 1.01(b)']],
    ['article ii please', ['Article 2']],
    ['schedule 3.01', ['Schedule 3.01']],
  ] as const)('answers %s with that part', async (question, labels) => {
    expect(await ask(question, licence)).toMatchObject({ labels, wrong: [] });
  });

  it('reports the range of existing articles for a missing one', async () => {
    const plain = parseContract({
      name: 'plain.md',
      text: Array.from({ length: 9 }, (_, i) => `제${i + 1}조(제목 ${i}) 글이다.`).join('\n\n'),
    });
    expect(await ask('제99조는?', plain)).toEqual({
      answer: '계약서에서 제99조를 찾지 못했습니다. 이 계약서에는 제1조부터 제9조까지 있습니다.',
      labels: [],
      wrong: [],
    });
    expect((await ask('What is in Article 99?', english)).answer).toBe('The contract has no Article 99. It has Article 1 to Article 4.');
  });
});

describe('questions about the whole contract in contract-agent', () => {
  it.each([
    ['조항 목록 보여줘', /^이 계약서의 조항 \(13개\):\n- 제1조\(목적\)\n[\s\S]*- 제6조 삭제\n[\s\S]*- 부칙 제1조\(시행일\)$/],
    ['이 계약서 요약해줘', /^조항별 첫 문장 \(\d+개 조항\):\n- 제1조\(목적\): 이 계약은/],
    ['기한이 있는 조항은?', /^기간이나 날짜가 있는 조항 \(\d+개\):[\s\S]*- 제4조\(검수\): 10일, 7일/],
    ['제8조를 인용하는 조항은?', /^제8조에 대한 인용 \(1개 조항\):\n- 제5조\(지체상금\): 제8조$/],
    ['제10조의2를 인용하는 조항은?', /^제10조의2에 대한 인용을 찾지 못했습니다\.$/],
    ['빈칸이 있어?', /^비어 있는 곳을 찾지 못했습니다\.$/],
  ])('answers %s', async (question, expected) => {
    const { answer, wrong } = await ask(question);
    expect(answer).toMatch(expected);
    expect(wrong).toEqual([]);
  });

  it.each([
    ['list the sections', /^The articles of the contract \(6\):\n- Article 1 \(USE\)\n- Section 1\.01 \(Rooms\)/i],
    ['Are there blank fields?', /^Left blank \(1\):\n- Section 2\.01 \(Amount\): The Guest pays _+ dollars/],
    ['which sections refer to Section 2.01?', /^References to Section 2\.1, in 1 articles:\n- Section 1\.02 \(Visitors\): Section 2\.01$/],
  ])('answers %s', async (question, expected) => {
    const { answer, wrong } = await ask(question, licence);
    expect(answer).toMatch(expected);
    expect(wrong).toEqual([]);
  });
});

describe('articles of a law in contract-agent', () => {
  const works = parseContract({
    name: 'works.md',
    text: `# 용역계약서

제1조 (목적) 이 계약은 갑이 을에게 소프트웨어 개발을 맡기는 데 필요한 사항을 정한다.

제2조 (손해배상) 을은 고의 또는 과실로 갑에게 손해를 끼친 경우 그 손해를 배상한다.

제3조 (하자담보) 하자에 관하여는 민법 제667조에 따른다.
`,
  });

  it.each([
    ['민법 제750조에 따르면?', /관한 내용이 없습니다/, []],
    ['민법 제1조가 뭐야?', /관한 내용이 없습니다/, []],
    ['「상법」 제3조는 무슨 내용이야?', /관한 내용이 없습니다/, []],
    ['What does Article 2 of the Civil Code say?', /says nothing about/, []],
    ['민법 제2조에 따르면 손해는?', /분명히 답하는 내용이 없습니다[\s\S]*제2조/, ['제2조']],
    ['민법 제667조는 뭐라고 해?', /민법 제667조에 따른다/, ['제3조']],
    ['제2조는 민법 제750조와 같아?', /그 손해를 배상한다/, ['제2조']],
  ])('%s', async (question, expected, labels) => {
    const found = await ask(question, works);
    expect(found.answer).toMatch(expected);
    expect(found.labels.slice(0, 1)).toEqual(labels);
  });
});

it('lists periods as written, and finds both parts of `Art 5 & 6`', async () => {
  const supply = parseContract({
    name: 'supply.md',
    text: `# Supply

Article 5 Payment. Within two months of the invoice and thirty
days of delivery.

Article 6 Termination. On ninety (90) days notice.

Article 7 Liability. None.
`,
  });
  const { answer } = await ask('which deadlines are there?', supply);
  expect(answer).toContain('two months, thirty days');
  expect(answer).toContain('90 days');
  expect((await ask('Art 5 & 6', supply)).labels).toEqual(['Article 5', 'Article 6']);
});
