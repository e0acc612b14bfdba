import { parseContract } from 'agent-machines/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contractLines } from '../../../../src/contracts/parse/contract-lines.ts';
import { listItems } from '../../../../src/contracts/parse/list-items.ts';

const itemsOf = (text: string): readonly string[] => {
  const lines = contractLines(text);
  return [...listItems(lines)].map((index) => lines[index]?.core ?? '');
};
const labels = (text: string): readonly string[] => parseContract({ name: 'a.txt', text }).articles.map(({ label }) => label);

describe('listItems', () => {
  it.each([
    ['a sentence that ends in a colon', 'We provide:\n1. Cleaning.\n2. Waste removal.\nThat is all.', 2],
    ['a blank line below it', 'We provide:\n\n1) Cleaning\n2) Waste removal\n\nThat is all.', 2],
    ['items of two lines', 'We provide:\n1. Cleaning of all\nthe offices.\n2. Waste removal.\nThat is all.', 2],
    ['다음과 같다', '대금은 다음과 같다.\n1. 착수금 백만원\n2. 잔금 이백만원\n대금은 계좌로 낸다.', 2],
    ['다음 각 호', '다음 각 호의 비용을 낸다\n1. 전기요금\n2. 수도요금\n3. 관리비\n매월 말일까지 낸다.', 3],
    ['names, each with numbers of its own', '근로시간\n1. 아홉 시부터\n2. 여섯 시까지\n임금\n1. 월 250만원\n2. 매월 10일', 4],
  ])('finds items below %s', (_, text, count) => {
    expect(itemsOf(text)).toHaveLength(count);
  });

  it.each([
    [
      'the articles that the parties agree on',
      'The parties agree as follows:\n1. Term. Two years.\n2. Price. Ten dollars.\nSigned by both.',
    ],
    ['the articles of 체결', '갑과 을은 다음과 같이 계약을 체결한다.\n1. 목적\n2. 기간\n서명한다.'],
    ['articles to the end of the text', 'The terms are these:\n1. Term. Two years.\n2. Price. Ten dollars.'],
    ['one number alone', 'We provide:\n1. Cleaning.\nThat is all.'],
    ['numbers that begin with 2', 'We provide:\n2. Cleaning.\n3. Waste.\nThat is all.'],
    ['articles with text below them', 'The terms are these:\n1. Term\nIt runs for two years.\n2. Price\nTen dollars.\nSigned.'],
    ['one name alone', 'Payment\n1. Term\n2. Price\nSigned.'],
    ['exhibits', 'Exhibit A\n1. Term\n2. Price\nExhibit B\n1. Chairs\n2. Tables'],
    ['headings of Markdown', 'These are:\n# 1. Term\n# 2. Price\nSigned.'],
  ])('leaves %s', (_, text) => {
    expect(itemsOf(text)).toEqual([]);
  });

  it('never returns a line without a number', () => {
    const line = fc.constantFrom(
      'We provide:',
      '1. One',
      '2. Two',
      '3) Three',
      '',
      'rest of it',
      'Name',
      '다음과 같다.',
      '10. Ten',
      'End.',
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 20 }), (all) => {
        for (const core of itemsOf(all.join('\n'))) expect(core).toMatch(/^\d/);
      }),
    );
  });
});

describe('parseContract with a plain list', () => {
  it('reads no articles from it if nothing else is numbered', () => {
    const text =
      'SERVICE AGREEMENT\n\nServices\n\nThe Supplier shall provide the following services:\n1. Cleaning of the offices.\n2. Waste removal.\n3. Window washing every month.\n\nPayment\n\nThe Customer shall pay within thirty days of each invoice.\n';
    expect(parseContract({ name: 'a.txt', text }).structure).toBe('paragraphs');
  });

  it('reads no articles from it if articles have the same numbers', () => {
    const text =
      'SERVICE AGREEMENT\n\n1. Services. The Supplier shall provide the following services:\n1. Cleaning of the offices.\n2. Waste removal.\n3. Window washing every month.\n\n2. Payment. The Customer shall pay within thirty days.\n\n3. Term. Two years.\n';
    expect(labels(text)).toEqual(['Article 1', 'Article 2', 'Article 3']);
  });

  it('reads headings without numbers as the articles', () => {
    const text =
      'CONSULTING\n\nCONFIDENTIALITY\nThe Consultant keeps secret:\n1. All plans of the firm.\n2. All lists of customers.\n3. All prices.\nThe Consultant returns them at the end.\n\nOWNERSHIP\nAll work belongs to the firm that orders it.\n\nTERMINATION\nEither party may terminate it on thirty days of notice.\n';
    expect(labels(text)).toEqual(['CONFIDENTIALITY', 'OWNERSHIP', 'TERMINATION']);
  });
});
