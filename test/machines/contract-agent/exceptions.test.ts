import { createRuntime } from 'agent-machines';
import { createAnswerFinder, parseContract } from 'agent-machines/contracts';
import { contractAgent } from 'agent-machines/machines/contract-agent';
import { describe, expect, it } from 'vitest';
import { exceptionCases } from '../../fixtures/exception-cases.ts';

const documentOf = (text: string) => parseContract({ name: 'contract.md', text });

async function ask(text: string, input: string) {
  const runtime = createRuntime();
  const result = await runtime.start(contractAgent({ contracts: [{ contract: documentOf(text) }] }), { input }).result;
  await runtime.close();
  if (result.status !== 'done') throw new Error(result.status);
  const { answer, citations } = result.output;
  return { answer, wrong: citations.filter(({ status }) => status !== 'supported') };
}

/** Returns the labels of the blocks of an answer that quote the contract. */
const quoted = (answer: string): readonly string[] =>
  Array.from(answer.matchAll(/^(?!>)(?<label>[^\n]+)\n>/gm), ({ groups }) =>
    (groups?.label ?? '').replace(/^(?:Exception|예외): /u, '').replace(/\s?\([^()]*\)$/u, ''),
  );

describe('exceptions', () => {
  it.each(exceptionCases.map((each) => [each.question, each] as const))('are shown with the rule: %s', async (question, each) => {
    const { answer, wrong } = await ask(each.text, question);
    expect(quoted(answer)).toContain(each.rule);
    if (each.exception === undefined) expect(answer).not.toMatch(/^(?:Exception|예외):/mu);
    else expect(quoted(answer)).toContain(each.exception);
    expect(answer).toContain(each.words ?? '');
    expect(wrong).toEqual([]);
  });

  it('are shown with an article that the question names', async () => {
    const [{ text } = { text: '' }] = exceptionCases;
    expect((await ask(text, 'What does section 5 say?')).answer).toContain(
      'Exception: Article 12 (Fitting out)\n> Notwithstanding Section 5',
    );
  });

  it('of another paragraph are left out', async () => {
    const text = `CLEANING AGREEMENT

1. Work. The Cleaner cleans the hall.

2. Price

(a) The price is 300 euros a month. ${'It covers soap, cloths and bags for the bins of the hall. '.repeat(18)}

(b) Windows cost 40 euros each time. ${'They are cleaned inside and outside, in dry weather only. '.repeat(18)}

3. Winter. Section 2(b) does not apply from December to February.`;
    const document = documentOf(text);
    const finder = await createAnswerFinder(document);
    const price = document.articles.find(({ label }) => label === 'Article 2');
    if (price === undefined) throw new Error('no price');
    const changing = (shown: string) => finder.exceptionsTo([{ article: price, text: shown }]).map(({ article }) => article.label);
    expect(changing(price.text.slice(0, 500))).toEqual([]);
    expect(changing(price.text.slice(price.text.indexOf('(b)')))).toEqual(['Article 3']);
    expect(changing(price.text)).toEqual(['Article 3']);
  });

  it.each([
    ['The photos taken under Section 2 shall not prevent the Painter from working for others.', []],
    ['The duties in Section 2 stay; despite the holidays, Section 3 goes on.', []],
    ['This Agreement supersedes all earlier letters, and Section 2 remains.', []],
    ['Nothing said here amends Section 3.', []],
    ['Section 2 of the Framework Agreement shall not apply.', []],
    ['Except in winter, the Painter shall send notice under Section 2.', []],
    ['Section 2 shall not apply to the garage.', ['Article 2']],
    ['This Section 4 replaces Section 3 from May.', ['Article 3']],
    ['Notwithstanding Sections 2 and 3, the first visit is free.', ['Article 2', 'Article 3']],
    ['The visit is free. ~~Section 2 shall not apply in May.~~', []],
  ])('are what a sentence changes, and nothing else: %s', async (sentence, changed) => {
    const document = documentOf(`PAINTING AGREEMENT

1. Work. The Painter paints the house.

2. Price. The price is 900 euros.

3. Ladders. The Owner provides the ladders.

4. Further terms. ${sentence}`);
    const finder = await createAnswerFinder(document);
    const shown = document.articles.filter(({ label }) => ['Article 2', 'Article 3'].includes(label));
    const changes = finder.exceptionsTo(shown.map((article) => ({ article, text: article.text }))).map((each) => each.changes);
    expect([...new Set(changes)].sort()).toEqual(changed.map((label) => `body/${label}`));
  });

  it.each([
    ['을은 제2조의 물건을 트럭으로 옮긴다.', []],
    ['을은 제3조의 열쇠를 금고에 두는 것으로 한다.', []],
    ['갑이 제2조의 물건을 찾아가지 아니함에도 불구하고 을은 이를 보관한다.', []],
    ['제2조 및 제3조에도 불구하고 첫 달은 무료로 한다.', ['제2조', '제3조']],
    ['겨울에는 제3조의 시각을 오후 4시로 한다.', ['제3조']],
    ['제2조와 달리 책은 상자째로 센다.', ['제2조']],
  ])('are what a Korean sentence changes, and nothing else: %s', async (sentence, changed) => {
    const document = documentOf(`보관계약서

제1조(목적) 을은 갑의 물건을 보관한다.

제2조(물건) 물건은 하나씩 센다.

제3조(시각) 창고는 오후 6시에 닫고, 열쇠는 을이 가진다.

제4조(기타) ${sentence}`);
    const finder = await createAnswerFinder(document);
    const shown = document.articles.filter(({ label }) => ['제2조', '제3조'].includes(label));
    const changes = finder.exceptionsTo(shown.map((article) => ({ article, text: article.text }))).map((each) => each.changes);
    expect([...new Set(changes)].sort()).toEqual(changed.map((label) => `body/${label}`));
  });

  it('of the finder change what it shows, and are no part of it', async () => {
    for (const { text, question } of exceptionCases) {
      const { passages, joined } = (await createAnswerFinder(documentOf(text))).find(question);
      for (const each of joined) {
        expect(passages.map(({ article }) => article.id)).toContain(each.changes);
        expect(passages.some((passage) => passage.article.id === each.article.id && passage.text.includes(each.text))).toBe(false);
      }
    }
  });

  it('do not come from a statute’s addenda', async () => {
    const document = documentOf(`주택법

제1조(목적) 이 법은 주택에 관한 사항을 정한다.

제2조(신고) 임차인은 30일 이내에 신고하여야 한다.

부칙

제1조(시행일) 이 법은 공포한 날부터 시행한다.

제3조(경과조치) 제2조의 개정규정은 이 법 시행 전에 체결한 계약에는 적용하지 아니한다.`);
    const finder = await createAnswerFinder(document);
    const [article] = document.articles.filter(({ label }) => label === '제2조');
    if (article === undefined) throw new Error('no article');
    expect(finder.exceptionsTo([{ article, text: article.text }])).toEqual([]);
  });
});

describe('an article that is gone', () => {
  const text = `HOUSE LEASE

1. House. The Owner lets the house with its garden.

2. Hens. ~~The Guest may keep hens in the garden.~~

3. [Deleted]

4. Rent. The rent is 800 euros a month, due on the first day.`;

  it('answers nothing when its whole text is struck through', async () => {
    const { verdict } = (await createAnswerFinder(documentOf(text))).find('May the Guest keep hens?');
    expect(verdict).toBe('nearest');
    expect((await ask(text, 'May the Guest keep hens?')).answer).toMatch(/^The contract has nothing that clearly answers this/u);
  });

  it('is said to be deleted when it is the nearest', async () => {
    const korean = `근로계약서

제1조(업무) 근로자는 빵을 굽는다.

제2조(퇴직금) 삭제

제3조(임금) 임금은 매월 10일에 준다.`;
    expect((await ask(korean, '퇴직금 줘?')).answer).toContain('제2조(퇴직금)은 삭제된 조항입니다');
  });
});

describe('reasons', () => {
  it('name the topics and words that a passage was found for', async () => {
    const [{ text, question } = { text: '', question: '' }] = exceptionCases;
    const { passages } = (await createAnswerFinder(documentOf(text))).find(question);
    expect(passages[0]?.why).toEqual({ settles: ['payment'], touches: [], words: ['pay', 'each', 'month'] });
  });

  it('are said beside passages that are only near', async () => {
    const [{ text } = { text: '' }] = exceptionCases;
    const { answer } = await ask(text, 'Is there a helicopter on the ground floor?');
    expect(answer).toMatch(/^The contract has nothing that clearly answers this.*\n\nArticle 1[\s\S]*\nFound for: “ground”, “floor”/u);
  });
});
