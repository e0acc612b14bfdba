// Whether the contract answers: said as what it is, with a model and without one.
import { parseContract } from 'agent-machines/contracts';
import { describe, expect, it } from 'vitest';
import { answer, ask, callsOf, english, enough, play } from './helpers.ts';

const storage = parseContract({
  name: 'storage.txt',
  text: `STORAGE AGREEMENT

1. Storage. The Keeper stores the Owner's furniture in a dry room at Dock 4.

2. Charge. The Owner shall pay 95 dollars per month within ten days of each invoice.

3. Fragile goods. Mirrors and lamps are stored at the Owner's own risk; whatever competes for space in the business hours is moved.

4. Law. This Agreement shall be governed by the laws of Ohio.
`,
});
const inStorage = { contracts: [{ contract: storage }] };

describe('verdict of contract-agent by rules', () => {
  it.each([
    ['Which law governs?', 'answer', /^Article 4|^4|^Section 4|laws of Ohio/],
    ['준거법이 뭐야?', 'answer', /laws of Ohio/],
    [
      'Is there a competing business?',
      'nearest',
      /^The contract has nothing that clearly answers this; the nearest is .*3.*, which may not be it\.\n/,
    ],
    ['Is there an arbitration clause?', 'silent', /^The contract says nothing about “arbitration clause”\. Looked for: arbitration\.$/],
    ['보험 들어야 돼?', 'silent', /^이 계약서에는 “.*보험.*”에 관한 내용이 없습니다\./],
    ['thanks', null, /^You're welcome/],
  ])('%s: %s', async (question, verdict, text) => {
    const { output } = await ask(question, inStorage);
    expect(output.verdict).toBe(verdict);
    expect(output.answer).toMatch(text);
  });

  it.each([
    ['제5조 내용이 뭐야?', 'answer'],
    ['제99조는?', 'silent'],
    ['오늘 날씨 어때?', null],
    ['표준계약서랑 뭐가 달라?', null],
  ])('of %s: %s', async (question, verdict) => {
    expect((await ask(question)).output.verdict).toBe(verdict);
  });

  it('shows every article with a passage if nothing settles the question', async () => {
    const { output } = await ask('Is a mirror, an invoice or the dock ever polished by robots from Mars?', inStorage);
    expect(output.verdict).toBe('nearest');
    expect(output.answer.match(/^> /gmu)?.length).toBe(3);
  });

  it('is not `answer` for an article whose title only occurs in the question', async () => {
    const lent = parseContract({
      name: 'lent.txt',
      text: '제1조(자전거) 을은 자전거를 한 대 빌린다.\n\n제2조(자물쇠) 을은 자물쇠를 채운다.\n\n제3조(색) 자전거는 파란색이다.\n\n제4조(짐) 짐은 싣지 않는다.\n',
    });
    const { output } = await ask('자전거 보험 들어야 하나요?', { contracts: [{ contract: lent }] });
    expect(output).toMatchObject({ verdict: 'nearest', lookedFor: ['보험'] });
    expect(output.answer).toMatch(/^이 계약서에는 이 질문에 분명히 답하는 내용이 없습니다\. 가장 가까운 것은 제1조\(자전거\)이며/);
  });
});

describe('verdict of contract-agent with a model', () => {
  const search = callsOf(['hybrid_search', { topics: [{ topic_name: 'arbitration', queries: ['arbitration', 'fourteen days'] }] }]);

  it('is part of the prompts of evaluation and answer', async () => {
    const { requests } = await play(
      [search, enough(true), answer('The contract says nothing about arbitration.')],
      'Is there an arbitration clause?',
      {
        contracts: [{ contract: english }],
      },
    );
    const told = 'A search for wording says that the contract says nothing about the question';
    expect(requests.map(({ messages }) => JSON.stringify(messages).includes(told))).toEqual([true, true, true]);
  });

  it('is not raised by a model that quotes an unrelated article', async () => {
    const { output } = await play(
      [search, enough(true), answer('Yes: Article 4 says that arbitration is possible after fourteen days.')],
      'Is there an arbitration clause?',
      { contracts: [{ contract: english }] },
    );
    expect(output.verdict).not.toBe('answer');
    expect(output.answer).toContain('The contract has nothing that clearly answers this.');
  });

  const lamp = 'Will you pay for a broken lamp?';
  const goods = callsOf(['get_article_by_title', { titles: ['Fragile goods'] }]);
  const quoting = "No. Article 3: “Mirrors and lamps are stored at the Owner's own risk”";

  it('is raised by a verified quote, if the evaluation found enough', async () => {
    const { output } = await play([goods, enough(true), answer(quoting)], lamp, inStorage);
    expect(output).toMatchObject({ verdict: 'answer', answer: quoting });
  });

  it('stays below `answer`, but is not disowned, if the evaluation found too little', async () => {
    const { output } = await play([goods, answer(quoting)], lamp, { ...inStorage, maxIterations: 1 });
    expect(output).toMatchObject({ verdict: 'nearest', answer: quoting });
  });

  it.each([
    ['misquotes', 2, "No. Article 3: “Mirrors and lamps are stored at the Keeper's own risk”"],
    ['names an invented place', 2, `${quoting} Article 77 says so, too.`],
    ['quotes the question', 1, 'Whether I “pay for a broken lamp” depends on Article 3.'],
    ['quotes nothing', 1, 'No, says Article 3.'],
  ])('is not raised by an answer that %s', async (_, times, text) => {
    const { output } = await play([goods, enough(true), ...Array.from({ length: times }, () => answer(text))], lamp, inStorage);
    expect(output.verdict).toBe('nearest');
    expect(output.answer).toContain('nothing that clearly answers this');
  });

  it('adds that the contract is silent if a model does not say so', async () => {
    const { output } = await play(
      [search, enough(true), answer('Arbitration is usual in such contracts.')],
      'Is there an arbitration clause?',
      {
        contracts: [{ contract: english }],
      },
    );
    expect(output.verdict).toBe('silent');
    expect(output.answer).toMatch(/^Arbitration is usual[\s\S]*The contract says nothing about “arbitration clause”\./);
  });

  it('is lowered by an evaluation that never finds enough', async () => {
    const term = callsOf(['get_article_by_title', { titles: ['Term'] }]);
    const { output } = await play(
      [term, enough(false, 'the end'), callsOf(['get_article_by_title', { titles: ['Price'] }]), answer('Two years, as Article 1 says.')],
      'How long is the term?',
      {
        contracts: [{ contract: english }],
        maxIterations: 2,
      },
    );
    expect(output.verdict).toBe('nearest');
  });

  it('keeps the model’s answer if the wording settles the question', async () => {
    const term = callsOf(['get_article_by_title', { titles: ['Term'] }]);
    const { output } = await play([term, enough(true), answer('Article 1: two years.')], 'How long is the term?', {
      contracts: [{ contract: english }],
    });
    expect(output).toMatchObject({ verdict: 'answer', answer: 'Article 1: two years.' });
  });
});
