import { parseContract } from 'agent-machines/contracts';
import { describe, expect, it } from 'vitest';

const parse = (text: string) => parseContract({ name: 'sample.md', text });
const partsOf = (text: string) => parse(text).parts.map(({ id, text: words }) => `${id}: ${words.replace(/\s+/g, ' ')}`);

describe('document parts', () => {
  it('are the articles, and the text before, between and after them', () => {
    const text =
      '용역 계약서\n\n갑 주식회사와 을 주식회사는 다음과 같이 계약한다.\n\n제1장 총칙\n제1조(목적) 하나다.\n제2조(기간) 둘이다.\n\n2026년 1월 2일\n갑: 김가나 (인)\n\n별지 1 도면\n그림이다.\n';
    expect(partsOf(text)).toEqual([
      'preamble/전문: 용역 계약서 갑 주식회사와 을 주식회사는 다음과 같이 계약한다.',
      'chapter/제1장: 제1장 총칙',
      'body/제1조: 하나다.',
      'body/제2조: 둘이다.',
      'signatures/서명: 2026년 1월 2일 갑: 김가나 (인)',
      'exhibit/별지 1: 그림이다.',
    ]);
    const { parts, text: whole } = parse(text);
    expect(parts.map(({ start, end }) => whole.slice(start, end)).join('')).toBe(whole);
  });

  it('have English labels in an English document', () => {
    expect(partsOf('LEASE\n\nArticle 1. Term\nOne year.\n\nArticle 2. Rent\nMonthly.\n\nIN WITNESS WHEREOF the parties sign.\n')).toEqual([
      'preamble/Preamble: LEASE',
      'body/Article 1: One year.',
      'body/Article 2: Monthly.',
      'signatures/Signatures: IN WITNESS WHEREOF the parties sign.',
    ]);
  });

  it.each([
    'TUTOR\n\n______________________\nMay Lee\n\nPUPIL\n\n______________________\nJo Ray\n\nJune 2, 2027',
    'For and on behalf of Lee Ltd\n\n/s/ May Lee\n\nFor and on behalf of Ray Ltd\n\n/s/ Jo Ray',
    'May Lee\n/s/ May Lee\nJune 2, 2027\n\nJo Ray\n/s/ Jo Ray\nJune 3, 2027',
    'Dated this 2nd day of June, 2027.\n\n_________________ (Tutor)\n_________________ (Pupil)',
    'Signed at York on June 2, 2027\n\nMay Lee (Tutor)      Jo Ray (Pupil)',
    'This Agreement has been signed by the parties on June 2, 2027.\n\nMay Lee      Jo Ray',
    'WITNESS our hands this June 2, 2027.\n\nMay Lee\nJo Ray',
    'TUTOR: May Lee            PUPIL: Jo Ray\nSignature: ______         Signature: ______',
  ])('end with English signatures: %j', (signatures) => {
    const { parts } = parse(`TUITION\n\n1. LESSONS. Two a week.\n\n2. FEE. $40 a lesson.\n\n3. TERM. One year.\n\n${signatures}\n`);
    expect(parts.map(({ id }) => id).slice(1)).toEqual(['body/Article 1', 'body/Article 2', 'body/Article 3', 'signatures/Signatures']);
    expect(parts.at(-1)?.text).toBe(signatures);
  });

  it.each([
    'The pupil fills in the form: name ____________ and age ______ before the first lesson.',
    'Books:\n\nSIGNATURE READER\n\nThe pupil buys it before the first lesson.',
  ])('take no blank of the last article for a signature: %j', (last) => {
    expect(parse(`TUITION\n\n1. LESSONS. Two a week.\n\n2. FORM. ${last}\n`).parts.map(({ part }) => part)).not.toContain('signatures');
  });

  it.each([
    'I\nLESSONS\nTwo a week.\n\nII\nFEE\nForty dollars.\n\nIII\nTERM\nOne year.',
    'I) Lessons. Two a week.\n\nII) Fee. $40.\n\nIII) Term. One year.',
    'I - Lessons\nTwo a week.\n\nII - Fee\n$40.\n\nIII - Term\nOne year.',
  ])('are articles with roman numbers: %j', (text) => {
    expect(parse(`TUITION\n\n${text}\n`).articles.map(({ label }) => label)).toEqual(['Article 1', 'Article 2', 'Article 3']);
  });

  it('name struck-through text, and count an article of it as deleted', () => {
    const { articles, warnings } = parse(
      '제1조(차임) ~~월 50만원~~ 월 60만원을 낸다.\n\n제2조(개) ~~개를 기른다.~~\n\n제3조(기간) 1년으로 한다.\n',
    );
    expect(articles.map(({ label, deleted, text }) => [label, deleted, text])).toEqual([
      ['제1조', false, '~~월 50만원~~ 월 60만원을 낸다.'],
      ['제2조', true, '~~개를 기른다.~~'],
      ['제3조', false, '1년으로 한다.'],
    ]);
    expect(warnings.map(({ code, message }) => [code, message])).toEqual([
      ['TEXT_STRUCK', '제1조 has struck-through text: “월 50만원”.'],
      ['TEXT_STRUCK', '제2조 has struck-through text: “개를 기른다.”.'],
    ]);
  });

  it('do not include a blank preamble', () => {
    const { parts } = parse('\n\nArticle 1. Term\nOne year.\n');
    expect(parts.map(({ id, start }) => [id, start])).toEqual([['body/Article 1', 0]]);
  });

  it.each([
    ['제 5 조 (기간) 한 해다.', '제 5 조'],
    ['ARTICLE V. TERM\nOne year.', 'ARTICLE V'],
    ['【제5조】 기간\n한 해다.', '제5조'],
    ['**Section 5** – Term\nOne year.', 'Section 5'],
    ['[별지 제5호] 도면', '별지 제5호'],
  ])('keep the written label: %j', (heading, written) => {
    const first = heading.startsWith('[별지') ? '제1조(목적) 하나다.\n' : '';
    expect(parse(`${first}${heading}\n`).articles.at(-1)?.written).toBe(written);
  });

  it('have the part that contains them as parent', () => {
    const text =
      'Article 1. Term\nOne year.\n\nArticle 2. Rent\nMonthly.\n\nExhibit A. Rules\n\nArticle 1. Quiet\nNo noise.\n\nArticle 2. Pets\nNone.\n';
    expect(parse(text).articles.map(({ id, parentId }) => [id, parentId])).toEqual([
      ['body/Article 1', undefined],
      ['body/Article 2', undefined],
      ['exhibit/Exhibit A', undefined],
      ['exhibit/Article 1', 'exhibit/Exhibit A'],
      ['exhibit/Article 2', 'exhibit/Exhibit A'],
    ]);
  });

  it('have the positions of their paragraphs and items, including nested ones', () => {
    const [article] = parse('제1조(목적) ① 첫째다.\n 1. 하나\n  가. 가나\n   (1) 다라\n② 둘째다.\n').articles;
    const placed = (part: { readonly start: number; readonly end: number } | undefined) =>
      article?.text.slice(part?.start, part?.end).replace(/\s+/g, ' ').trim();
    const [first, second] = article?.paragraphs ?? [];
    const item = first?.items[0];
    expect([first, second, item, item?.subItems[0], item?.subItems[0]?.subItems[0]].map(placed)).toEqual([
      '① 첫째다. 1. 하나 가. 가나 (1) 다라',
      '② 둘째다.',
      '1. 하나 가. 가나 (1) 다라',
      '가. 가나 (1) 다라',
      '(1) 다라',
    ]);
  });
});

describe('a document without a recognised structure', () => {
  it('is divided into paragraphs of at most 1,000 characters, with a warning', () => {
    const sentence = 'The parties agree to the terms that stand here. ';
    const text = `Letter\n\n${sentence.repeat(50)}\n\nYours sincerely\n\n${'x'.repeat(2_500)}`;
    const { structure, articles, parts, warnings } = parse(text);
    expect([structure, articles, warnings.map(({ code }) => code)]).toEqual(['paragraphs', [], ['NO_ARTICLES']]);
    expect(parts.map(({ label }) => label)).toEqual(parts.map((_, i) => `Paragraph ${i + 1}`));
    expect(Math.max(...parts.map(({ start, end }) => end - start))).toBeLessThanOrEqual(1_000);
    expect(parts.map(({ start, end }) => text.slice(start, end)).join('')).toBe(text);
    expect(parts.slice(0, 2).every(({ text: words }) => words.endsWith('.'))).toBe(true);
  });

  it('is not cut inside a character', () => {
    const { parts } = parse(`a${'😀'.repeat(1_200)}`);
    expect(parts.every(({ text }) => text.isWellFormed())).toBe(true);
  });

  it('has no part if it has no text', () => {
    expect(parse('').parts).toEqual([]);
  });
});
