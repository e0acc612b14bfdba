import { readFileSync } from 'node:fs';
import { loadDocument } from 'agent-machines/documents';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { unwrapped } from '../../../../../src/search/documents/pdf/wrapped-lines.ts';

type PageLine = Parameters<typeof unwrapped>[0][number][number];

const size = 10;
const edge = 500;

/** Lines of a page, one below the other; one that begins with `>` reaches the right edge. */
const pageOf = (...texts: readonly (string | Partial<PageLine>)[]): PageLine[] =>
  texts.map((given, index) => {
    const { text: words = '', ...rest } = typeof given === 'string' ? { text: given } : given;
    const isFull = words.startsWith('>');
    const text = isFull ? words.slice(1) : words;
    const y = 80 + index * 15;
    return {
      text,
      place: y / 842,
      left: 70,
      right: isFull ? edge : 70 + text.length * 5,
      y,
      size,
      column: 0,
      isRow: false,
      pageWidth: 595,
      ...rest,
    };
  });

const linesOf = (...texts: readonly (string | Partial<PageLine>)[]): string[] => unwrapped([pageOf(...texts)]).split('\n');

// three full lines, so that there is an edge, in which 계약금액, 보증금 and 지급한다 are words
const body = [
  '>① 갑은 계약금액을 을에게 지급한다. 보증금은 계약금액의 10퍼센트로 하고,',
  '>② 보증금은 을이 지급한다. 갑은 계약금액을',
  '>③ 을은 보증금을 갑에게 지급한다. 계약금액은 을이 청구한다.',
];

describe('a wrapped line', () => {
  it('continues in the next line, within a word and at its end', () => {
    expect(
      linesOf(
        ...body,
        '>④ 갑은 그 사유를 알린 뒤에 계약금액은',
        '을이 정하지 않고 보증금을 돌려준다.',
        '>⑤ 갑은 그 사유를 알린 뒤에 보증',
        '금을 돌려준다.',
      ),
    ).toEqual([
      body[0]?.slice(1),
      body[1]?.slice(1),
      body[2]?.slice(1),
      '④ 갑은 그 사유를 알린 뒤에 계약금액은 을이 정하지 않고 보증금을 돌려준다.',
      '⑤ 갑은 그 사유를 알린 뒤에 보증금을 돌려준다.',
    ]);
  });

  it('continues at the top of the next page', () => {
    const [first, second] = [pageOf(...body, '>④ 갑은 그 사유를 알린 뒤에 보증'), pageOf('금을 돌려준다.')];
    expect(unwrapped([first, second]).split('\n').at(-1)).toBe('④ 갑은 그 사유를 알린 뒤에 보증금을 돌려준다.');
  });

  it('continues among few lines, as on the last page or beside a wide line', () => {
    const last = pageOf('>④ 갑은 그 사유를 알린 뒤에 보증', '금을 돌려준다.');
    const wide = pageOf('>1', '>2', '>3').map((line) => ({ ...line, right: 760, pageWidth: 842 }));
    expect(
      unwrapped([pageOf(...body), wide, last])
        .split('\n')
        .at(-1),
    ).toBe('④ 갑은 그 사유를 알린 뒤에 보증금을 돌려준다.');
  });

  it.each([
    ['continues at the top of the next column', '금을 돌려준다.', '④ 갑은 그 사유를 알린 뒤에 보증금을 돌려준다.'],
    ['does not continue in the next column in another language', 'The deposit is paid back.', 'The deposit is paid back.'],
  ])('%s', (_, next, last) => {
    const left = pageOf(...body, '>④ 갑은 그 사유를 알린 뒤에 보증').map((line) => ({ ...line, column: 1 }));
    const right = pageOf(next).map((line) => ({ ...line, column: 2, left: 520, right: 600 }));
    const lines = unwrapped([[...left, ...right]]).split('\n');
    expect(lines.at(-1)).toBe(last);
  });

  it('continues in English with a blank, and without a hyphen for the line break', () => {
    const lines = linesOf(
      '>1. The Supplier shall make the delivery on the day which the parties have agreed upon in the',
      'order, and a long-term forecast is no order.',
      '>2. If the Supplier cannot keep the day, it tells the Buyer so before the day of deliv-',
      'ery, and why.',
      '>3. The Buyer may then cancel the order, or take what was ordered later, or a long-',
      'running call, and the delivery of the rest.',
    );
    // `delivery` is in the text, `longrunning` is not
    expect(lines).toEqual([
      '1. The Supplier shall make the delivery on the day which the parties have agreed upon in the order, and a long-term forecast is no order.',
      '2. If the Supplier cannot keep the day, it tells the Buyer so before the day of delivery, and why.',
      '3. The Buyer may then cancel the order, or take what was ordered later, or a long-running call, and the delivery of the rest.',
    ]);
  });

  it('continues with the last syllable of a sentence, which is not an item', () => {
    expect(linesOf(...body, '>④ 갑은 을에게 그 사유를 알리고 보증금을 돌려준', '다. 갑이 늦으면 이자를 더한다.').at(-1)).toBe(
      '④ 갑은 을에게 그 사유를 알리고 보증금을 돌려준다. 갑이 늦으면 이자를 더한다.',
    );
    expect(linesOf(...body, '가. 계약서', '나. 영수증', '>④ 갑은 을에게 그 사유를 알리고 보증금을 돌려준', '다.').at(-1)).toBe(
      '④ 갑은 을에게 그 사유를 알리고 보증금을 돌려준다.',
    );
    expect(linesOf(...body, '가. 계약서', '>나. 계약금액과 보증금을 적은 문서로서 갑이 을에게 지급한', '다. 영수증').at(-1)).toBe(
      '다. 영수증',
    );
  });
});

describe('a line that reaches the margin', () => {
  it.each([
    ['a paragraph', '⑤ 갑은 다음을 따른다.'],
    ['a number', '2. 계약금액'],
    ['a sub-number', '2.1 계약금액'],
    ['an article', '제5조(보증금)'],
    ['an article without a title', '제5조'],
    ['a chapter', '제2장 지급'],
    ['an exhibit', '별지 1'],
    ['a dash', '- 계약금액'],
    ['a heading without a mark', '보증금의 지급'],
  ])('ends before %s', (_, next) => {
    expect(linesOf(...body, '>④ 갑은 을에게 그 사유를 알리고 보증금을 돌려주어야 한다.', next).at(-1)).toBe(next);
  });

  it('continues before a cited article', () => {
    expect(linesOf(...body, '>④ 갑은 을에게 그 사유를 알리고 보증금을', '제5조에 따라 돌려준다.').at(-1)).toMatch(
      /보증금을 ?제5조에 따라 돌려준다\.$/,
    );
  });

  it.each([
    ['letters of another size', { size: 14 }],
    ['a first line that is indented', { left: 85 }],
    ['a gap', { y: 160 }],
    ['a row of a table', { isRow: true }],
  ])('ends before %s', (_, change) => {
    const next = '갑은 다음과 같이 정한다.';
    const before = [
      '>계약금액은 이 계약의 별지에서 정하는 금액을 말하고 갑이',
      '>보증금은 그 금액의 10퍼센트를 말하며 을이 계약을 맺은 날에',
    ];
    const lines = linesOf(...before, '>지급한 금액을 말한다. 갑은 이 금액을 을에게 다음 날에', { text: next, ...change });
    expect(lines.at(-1)).toBe(next);
  });

  it('ends in a table of contents', () => {
    expect(
      linesOf(
        '>Definitions .......................... 3',
        '>Payment .............................. 5',
        '>Term ................................. 9',
      ),
    ).toHaveLength(3);
  });
});

describe('a line that ends before the margin', () => {
  it('is not joined to the next one', () => {
    expect(linesOf(...body, '갑 주식회사 한빛', '을 주식회사 누리')).toHaveLength(5);
  });
});

describe('letters spread over a line', () => {
  it('become words', () => {
    const lines = linesOf(...body, '④ 보 증 금 은 을 이 지 급 한 다 . 갑이 정한다.', '보증금은 을이 정한다.', '지급한다.');
    expect(lines[3]).toBe('④ 보증금은 을이 지급한다. 갑이 정한다.');
  });

  it('stay as they are in English, and in a short row', () => {
    expect(linesOf('A B C D E F G', '갑 을 병')).toEqual(['A B C D E F G', '갑 을 병']);
  });
});

describe('unwrapped lines', () => {
  const line = fc.record({
    text: fc.stringMatching(/^\S{1,6}( \S{1,6}){0,8}$/u).filter((text) => !text.endsWith('-')),
    left: fc.integer({ min: 50, max: 90 }),
    right: fc.constantFrom(120, 300, 480, 498, 500),
    size: fc.constantFrom(0, 9, 10, 14),
    column: fc.constantFrom(0, 1, 2),
    isRow: fc.boolean(),
    y: fc.integer({ min: 0, max: 800 }),
  });

  it('gain and lose only blanks and line breaks', () => {
    fc.assert(
      fc.property(fc.array(fc.array(line, { maxLength: 12 }), { maxLength: 4 }), (pages) => {
        const lines = pages.map((page) => page.map((one): PageLine => ({ ...one, place: one.y / 842, pageWidth: 595 })));
        const letters = (text: string): string => text.replace(/\s/g, '');
        expect(letters(unwrapped(lines))).toBe(letters(pages.flatMap((page) => page.map(({ text }) => text)).join('')));
      }),
    );
  });
});

describe('a contract printed by another program', () => {
  // as they are without the blanks; the two programs wrapped them within words
  const paragraphs = readFileSync(new URL('../../../../../machines/contract-agent/examples/standard-service.md', import.meta.url), 'utf8')
    .split('\n')
    .map((line) =>
      line
        .replace(/^[#\s]+/, '')
        .replaceAll('**', '')
        .trim(),
    )
    .filter((line) => line !== '');
  const read = async (program: string): Promise<string[]> => {
    const { text } = await loadDocument(new URL(`../../../../fixtures/pdf/standard-service.${program}.pdf`, import.meta.url));
    return text.split('\n');
  };
  const letters = (lines: readonly string[]): string[] => lines.map((line) => line.replaceAll(' ', ''));

  it('has its paragraphs if Chromium printed it, whose font has separate blanks', async () => {
    const found = await read('chromium');
    expect(letters(found)).toEqual(letters(paragraphs));
    expect(found.filter((line, index) => line !== paragraphs[index])).toEqual([]);
  });

  it('has the paragraphs of two columns, the left column first', async () => {
    const found = await read('columns');
    expect(letters(found)).toEqual(letters(paragraphs));
    // five lines end with a word of which nothing else in the text tells that it has ended
    expect(found.filter((line, index) => line !== paragraphs[index])).toHaveLength(5);
  });

  it('has its paragraphs if LibreOffice printed it, which spreads letters', async () => {
    const found = await read('libreoffice');
    expect(letters(found)).toEqual(letters(paragraphs));
    // it also parts numbers from Korean letters, for the eye
    const plain = found.map((line) => line.replace(/(?<=[가-힣]) (?=\d)|(?<=\d) (?=[가-힣])/g, ''));
    const wanted = paragraphs.map((line) => line.replace(/(?<=[가-힣]) (?=\d)|(?<=\d) (?=[가-힣])/g, ''));
    expect(plain.filter((line, index) => line !== wanted[index])).toEqual([]);
  });
});
