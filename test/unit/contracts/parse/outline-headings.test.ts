import { parseContract } from 'agent-machines/contracts';
import { describe, expect, it } from 'vitest';

const heads = (text: string) => parseContract({ name: 'a.txt', text }).articles.map(({ id, title }) => `${id} ${title}`.trim());

describe('headings of every kind', () => {
  it.each([
    ['dashes', 'Section 1 -- Terms\nX.\n\nSection 2 -- Fees\nY.\n', ['body/Section 1 Terms', 'body/Section 2 Fees']],
    ['Markdown', '# Deal\n\nX.\n\n## Terms\n\nY.\n\n## Fees\n\nZ.\n', ['body/Terms Terms', 'body/Fees Fees']],
    ['boxes', '□ 계약 개요\n ○ 계약명: 시스템\n□ 계약 조건\n ○ 기간: 1년\n', ['body/계약 개요 계약 개요', 'body/계약 조건 계약 조건']],
    ['letters', 'A. Terms\nX is said.\n\nB. Fees\nY is said.\n\nC. Law\nZ is said.\n', ['body/A Terms', 'body/B Fees', 'body/C Law']],
    ['words', 'SECTION ONE. TERMS\nX.\n\nSECTION TWO. FEES\nY.\n', ['body/Section 1 TERMS', 'body/Section 2 FEES']],
    [
      'small letters',
      '1.       mPhase pays.\n\n2.       mPhase ends.\n\n3.       iCo agrees.\n',
      ['body/Article 1', 'body/Article 2', 'body/Article 3'],
    ],
    ['chapters alone', '제1장 총칙\n하나를 정한다.\n\n제2장 대금\n둘을 정한다.\n', ['body/제1장 총칙', 'body/제2장 대금']],
    ['addenda alone', '부칙 <제1호>\n제1조(시행일) 오늘부터다.\n', ['addenda/제1조 시행일']],
    [
      'several addenda alone',
      '부칙 <제1호>\n제1조(시행일) 오늘부터다.\n\n부칙 <제2호>\n제1조(시행일) 내일부터다.\n제2조(경과조치) 어제까지다.\n',
      ['addenda/제1조 시행일', 'addenda/제1조#2 시행일', 'addenda/제2조 경과조치'],
    ],
    [
      'addenda without articles',
      '어느 법\n\n부칙 <제1호>\n오늘부터다.\n\n부칙 <제2호>\n내일부터다.\n',
      ['addenda/부칙 제1호', 'addenda/부칙#2 제2호'],
    ],
  ])('%s', (_, text, expected) => {
    expect(heads(text)).toEqual(expected);
  });

  it('have sections in their articles, with schedules and exhibits after them, labelled as written', () => {
    const text =
      'ARTICLE IV\nCOVENANTS\n\nSection 4.01 Access. It is given.\n\nSection 4.02 Notices. As follows:\n(a) by mail; or\n(b) by fax.\n\nARTICLE V\nLAW\n\nSection 5.01 Law. Delaware.\n\nSchedule 3.01\nDisclosure\nNothing.\n\nEXHIBIT "A"\nForm of Note\nNote.\n';
    const { articles } = parseContract({ name: 'a.txt', text });
    expect(articles.map(({ label, written, parentId = '' }) => [label, written, parentId])).toEqual([
      ['Article 4', 'ARTICLE IV', ''],
      ['Section 4.01', 'Section 4.01', 'body/Article 4'],
      ['Section 4.02', 'Section 4.02', 'body/Article 4'],
      ['Article 5', 'ARTICLE V', ''],
      ['Section 5.01', 'Section 5.01', 'body/Article 5'],
      ['Schedule 3.01', 'Schedule 3.01', ''],
      ['Exhibit A', 'EXHIBIT "A"', ''],
    ]);
  });

  it('are found in joined lines, with their paragraphs', () => {
    const text =
      'AGREEMENT between A and B, who agree: 1. TERMS 1.1 Words. They mean what Section 1.2 says. 1.2 More. (a) one thing; (b) another. 2. FEES 2.1 Due. Fees are due under Section 1.1 at once. 3. GOVERNING LAW Delaware law applies. IN WITNESS WHEREOF they sign.';
    const { articles, parts } = parseContract({ name: 'a.txt', text });
    expect(articles.map(({ label, title }) => `${label} ${title}`)).toEqual([
      'Article 1 TERMS',
      'Article 2 FEES',
      'Article 3 GOVERNING LAW',
    ]);
    expect(articles[0]?.paragraphs.map(({ label, items }) => [label, items.map((item) => item.label)])).toEqual([
      ['1.1', []],
      ['1.2', ['(a)', '(b)']],
    ]);
    expect(parts.map(({ label }) => label)).toEqual(['Preamble', 'Article 1', 'Article 2', 'Article 3', 'Signatures']);
  });

  it('are not read from a table of contents', () => {
    const entries = ['TERMS', 'FEES', 'LAW'].map((title, i) => `${i + 1}   ${title}                         ${i + 4}`).join('\n');
    const body = ['Terms', 'Fees', 'Law'].map((title, i) => `${i + 1}     ${title}\n\nThis is what stands under ${title}.`).join('\n\n');
    const { articles } = parseContract({ name: 'a.txt', text: `Table of contents\n\n${entries}\n\n${body}\n` });
    expect(articles.map(({ title, text }) => `${title}: ${text}`)).toEqual([
      'Terms: This is what stands under Terms.',
      'Fees: This is what stands under Fees.',
      'Law: This is what stands under Law.',
    ]);
  });

  it.each([
    'The parties met. Section 5 shall apply, and Article 2 of the Act, too. They left.\n',
    'In 2026 the fee is 1. The term is 2. That is all.\n',
    // numbers that a PDF has set apart from what they number
    '1.\n\n2.\n\n3.\n\n4.\n\nThe first is this. The second is that.\n\n5.\n\n6.\n\n7.\n\nThe rest.\n',
  ])('are not found in: %j', (text) => {
    expect(heads(text)).toEqual([]);
  });
});
