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
