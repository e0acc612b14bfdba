import { labelText, readLabels } from 'agent-machines/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { codePoint } from '../../../fixtures/code-point.ts';

const read = (text: string, numbers = false): string[] =>
  readLabels(text, { numbers }).map((label) =>
    label.document === undefined ? labelText(label) : `${labelText(label)} of ${label.document}`,
  );

describe('readLabels', () => {
  // biome-ignore format: one text a line
  it.each([
    ['제7조 제3항은?', ['제7조 제3항']],
    ['7조 3항 2호', ['제7조 제3항 제2호']],
    ['제 7 조 ③', ['제7조 제3항']],
    ['6조의 두 번째 항', ['제6조 제2항']],
    ['제6조 셋째 항과 7조 첫번째 호', ['제6조 제3항', '제7조 제1호']],
    ['6조 세 번째 문장', ['제6조']],
    ['제7조의2', ['제7조의2']],
    ['제７조', ['제7조']],
    ['15의2조는?', ['제15조의2']],
    ['제5조(대금) 제2항', ['제5조 제2항']],
    ['제2조 제1항 제3호 가목', ['제2조 제1항 제3호 가목']],
    ['제3조 내지 제5조', ['제3조', '제4조', '제5조']],
    ['제3조부터 제5조까지', ['제3조', '제4조', '제5조']],
    ['제3조·제4조', ['제3조', '제4조']],
    ['제3조, 제5조 및 7조의2를 비교해줘', ['제3조', '제5조', '제7조의2']],
    ['제3조 제1항 및 제3항', ['제3조 제1항', '제3조 제3항']],
    ['제1조 제1항부터 제3항까지', ['제1조 제1항', '제1조 제2항', '제1조 제3항']],
    ['부칙 제2조', ['부칙 제2조']],
    ['부칙이 있어?', ['부칙']],
    ['별지 제1호와 별표 2', ['별지 1', '별표 2']],
    ['별지 1 제3조', ['별지 1 제3조']],
    ['민법 제750조에 따른다', ['제750조 of 민법']],
    ['「하도급거래 공정화에 관한 법률」 제13조와 제4조', ['제13조 of 하도급거래 공정화에 관한 법률', '제4조']],
    ['이 법 제5조', ['제5조']],
    ['정한 방법 제5조', ['제5조']],
    ['예산 5조원, 3조각, 2조 원', []],
    ['특약매입, 특약점', []],
    ['Section 4.02(a)', ['Section 4.2(a)']],
    ['§ 4.2 (b)(ii)', ['Section 4.2(b)(ii)']],
    ['Art. IV and clause 4', ['Article 4', 'Clause 4']],
    ['Art 5 & 6', ['Article 5', 'Article 6']],
    ['Sec. 4 or 5', ['Section 4', 'Section 5']],
    ['Section 4 & 5', ['Section 4', 'Section 5']],
    ['Section 4 & 10 days', ['Section 4']],
    ['Section 4 and 30 business days', ['Section 4']],
    ['article iv', ['Article 4']],
    ['the article I mean', []],
    ['Sections 2.1 and 2.3', ['Section 2.1', 'Section 2.3']],
    ['Articles 3 to 5', ['Article 3', 'Article 4', 'Article 5']],
    ['Section 4.02(a) and (b)', ['Section 4.2(a)', 'Section 4.2(b)']],
    ['paragraph (b) of Section 3', ['Section 3(b)']],
    ['Section 9, paragraph (c)', ['Section 9(c)']],
    ['Section 5, 30 days', ['Section 5']],
    ['Schedule 3.01, exhibit b', ['Schedule 3.1', 'Exhibit B']],
    ['Exhibit A, Section 3', ['Exhibit A, Section 3']],
    ['Section 3 of Exhibit A', ['Exhibit A, Section 3']],
    ['Article II, Section 3', ['Article 2, Section 3']],
    ['Section 230 of the Communications Act', ['Section 230 of Communications Act']],
    ['Article 6 GDPR', ['Article 6 of GDPR']],
    ['can I schedule a meeting?', []],
  ])('reads %j', (text, expected) => {
    expect(read(text)).toEqual(expected);
  });

  // biome-ignore format: one text a line
  it.each([
    ['4.02(a)', ['4.2(a)']],
    ['3.1이 뭐야?', ['3.1']],
    ['4(a)', ['4(a)']],
    ['금액은 1.5억, 2.5%, $4.02, 1.5배', []],
    ['Section 4.2', ['Section 4.2']],
  ])('reads %j with bare numbers', (text, expected) => {
    expect(read(text, true)).toEqual(expected);
  });

  it('does not read the title of the contract as another document', () => {
    expect(readLabels('근로기준법 제5조', { titles: ['근로기준법'] })[0]?.document).toBeUndefined();
    expect(readLabels('근로기준법 제5조')[0]?.document).toBe('근로기준법');
  });

  it.each([
    ['- 제5조: 제7조\n- 제11조: 제7조', ['제5조', '제7조', '제11조', '제7조']],
    ['제3조 제1항\n- 제3항', ['제3조 제1항']],
    ['Sections 2 and 4\n- 7 copies', ['Section 2', 'Section 4']],
    ['제5조\n내지 제7조, Sections 2\nto 4', ['제5조', '제6조', '제7조', 'Section 2', 'Section 3', 'Section 4']],
  ])('reads no range from the dash of a list: %j', (text, expected) => {
    expect(readLabels(text).map(labelText)).toEqual(expected);
  });

  it('returns the position of each label in any text', () => {
    const piece = fc.constantFrom(
      '제5조',
      '제3항',
      '및',
      'Section',
      '4.02',
      '(a)',
      'of',
      'Exhibit A',
      '부칙',
      '부터',
      '제9조',
      ' ',
      ',',
      '의2',
      '「',
      '」',
      'Ⅳ',
      '１',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.array(piece, { maxLength: 14 }).map((some) => some.join(' ')),
          fc.string({ unit: codePoint }),
        ),
        (text) => {
          for (const { text: written, start, end } of readLabels(text, { numbers: true })) {
            expect(start).toBeLessThan(end);
            expect(end).toBeLessThanOrEqual(text.length);
            expect(written).not.toBe('');
          }
        },
      ),
    );
  });

  it.each(['제5조'.repeat(5_000), '제1조 제1항 및 '.repeat(4_000), 'Section '.repeat(9_000), '('.repeat(20_000), '별지 '.repeat(9_000)])(
    'reads a long text: %#',
    (text) => {
      expect(readLabels(text, { numbers: true }).length).toBeLessThan(60_000);
    },
  );
});
