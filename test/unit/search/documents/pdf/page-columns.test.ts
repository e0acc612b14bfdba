import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { linesInColumns, type PdfPage } from '../../../../../src/search/documents/pdf/page-columns.ts';

type PlacedText = PdfPage['pieces'][number];

const pageOf = (pieces: readonly PlacedText[]): PdfPage => ({ pieces, width: 595, height: 842 });
const placed = (x: number, y: number, text: string, width = 200): PlacedText => ({ text, x, y, width, size: 10 });
/** Lines from `x` on, one below the other. */
const column = (x: number, name: string, count: number, width = 200, from = 100): PlacedText[] =>
  Array.from({ length: count }, (_, index) => placed(x, from + index * 15, `${name}${index + 1}`, width));
const read = (...pages: readonly (readonly PlacedText[])[]): string[][] =>
  linesInColumns(pages.map(pageOf)).map((lines) => lines.map(({ text }) => text));
const named = (name: string, count: number): string[] => Array.from({ length: count }, (_, index) => `${name}${index + 1}`);

describe('a page with two columns', () => {
  it('has the lines of the left column first, in any order and height', () => {
    const right = column(320, 'b', 12, 200, 103);
    expect(read([...right, ...column(60, 'a', 12)])).toEqual([[...named('a', 12), ...named('b', 12)]]);
  });

  it('is divided by text across both columns', () => {
    const title = placed(150, 60, 'title', 300);
    const middle = placed(60, 300, 'across', 460);
    const lower = [...column(60, 'c', 10, 200, 330), ...column(320, 'd', 10, 200, 330)];
    expect(read([...column(60, 'a', 12), ...column(320, 'b', 12), title, middle, ...lower])).toEqual([
      ['title', ...named('a', 12), ...named('b', 12), 'across', ...named('c', 10), ...named('d', 10)],
    ]);
  });

  it('is divided by a table with whole rows', () => {
    const row = (y: number, name: string): PlacedText[] => [60, 180, 320, 440].map((x, cell) => placed(x, y, `${name}${cell}`, 60));
    const table = [...row(300, 'r'), ...row(315, 's')];
    const lower = [...column(60, 'c', 10, 200, 330), ...column(320, 'd', 10, 200, 330)];
    expect(read([...column(60, 'a', 12), ...column(320, 'b', 12), ...table, ...lower])).toEqual([
      [...named('a', 12), ...named('b', 12), 'r0 r1 r2 r3', 's0 s1 s2 s3', ...named('c', 10), ...named('d', 10)],
    ]);
  });

  it('is read with more pieces per line than a call has arguments', () => {
    const dots = Array.from({ length: 200_000 }, (_, index) => placed(60 + index / 1_000, 85, '.', 0.001));
    const [lines = []] = read([...dots, ...column(60, 'a', 12), ...column(320, 'b', 12)]);
    expect([lines[0]?.length, lines.slice(1)]).toEqual([200_000, [...named('a', 12), ...named('b', 12)]]);
  });

  it('is found as a half-empty last page', () => {
    const pages = [
      [...column(60, 'a', 30), ...column(320, 'b', 30)],
      [...column(60, 'c', 12), ...column(320, 'd', 3)],
    ];
    expect(read(...pages)[1]).toEqual([...named('c', 12), ...named('d', 3)]);
  });

  it('has the column of each line', () => {
    const pieces = [...column(60, 'a', 12), ...column(320, 'b', 12), placed(150, 60, 'title', 300)];
    expect(linesInColumns([pageOf(pieces)])[0]?.map((line) => line.column)).toEqual([0, ...Array(12).fill(1), ...Array(12).fill(2)]);
  });
});

describe('a page with one column', () => {
  it('is read across, however its words are divided', () => {
    // words of 40 points with room of 4 points between them
    const words = Array.from({ length: 20 }, (_, line) =>
      Array.from({ length: 10 }, (_, word) => placed(60 + word * 44, 100 + line * 15, `${line}.${word}`, 40)),
    );
    expect(read(words.flat())).toEqual([words.map((line) => line.map(({ text }) => text).join(' '))]);
  });

  it.each([
    ['a table with short labels', column(60, 'a', 12, 60), column(320, 'b', 12)],
    ['signatures', column(60, 'a', 5), column(320, 'b', 5)],
    [
      'a table of four columns',
      [...column(60, 'a', 12, 60), ...column(180, 'b', 12, 60)],
      [...column(320, 'c', 12, 60), ...column(440, 'd', 12, 60)],
    ],
  ])('is read across if it has %s', (_, left, right) => {
    const pieces = [...left, ...right];
    const rows = [...new Set(pieces.map(({ y }) => y))].sort((a, b) => a - b);
    const across = rows.map((y) =>
      pieces
        .filter((piece) => piece.y === y)
        .map(({ text }) => text)
        .join(' '),
    );
    expect(read(pieces)).toEqual([across]);
  });
});

describe('pieces of any page', () => {
  const piece = fc.record({
    text: fc.stringMatching(/^[a-z]{1,8}$/),
    x: fc.oneof(fc.constantFrom(60, 320), fc.integer({ min: -50, max: 700 })),
    y: fc.integer({ min: 0, max: 842 }),
    width: fc.oneof(fc.constant(200), fc.integer({ min: 0, max: 500 })),
    size: fc.constantFrom(0, 8, 10, 20),
  });

  it('are in the lines exactly once', () => {
    fc.assert(
      fc.property(fc.array(fc.array(piece, { maxLength: 60 }), { maxLength: 3 }), (pages) => {
        const letters = (texts: readonly string[]): string => [...texts.join('').replace(/\s/g, '')].sort().join('');
        const found = linesInColumns(pages.map(pageOf)).flatMap((lines) => lines.map(({ text }) => text));
        expect(letters(found)).toBe(letters(pages.flatMap((pieces) => pieces.map(({ text }) => text))));
      }),
    );
  });
});
