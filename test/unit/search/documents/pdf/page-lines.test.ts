import { describe, expect, it } from 'vitest';
import { pageLines } from '../../../../../src/search/documents/pdf/page-lines.ts';

const page = { width: 595, height: 842 };
const rowOf = (...pieces: readonly (readonly [x: number, text: string, width: number])[]): boolean | undefined =>
  pageLines(
    pieces.map(([x, text, width]) => ({ x, y: 100, text, width, size: 10 })),
    page,
  )[0]?.isRow;

describe('a line with a gap', () => {
  it.each(['1.', '(a)', '2.1', '가.', '①', '-'])('is not a table row after %j', (mark) => {
    expect(rowOf([70, mark, 10], [106, 'The Supplier delivers', 100])).toBe(false);
  });

  it('is a table row after a word, or with a second gap', () => {
    expect(rowOf([70, 'Price', 25], [206, 'EUR 100', 40])).toBe(true);
    expect(rowOf([70, '1.', 10], [106, 'Price', 25], [206, 'EUR 100', 40])).toBe(true);
  });
});
