import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { markdownLines } from '../../../../src/core/text/markdown-lines.ts';

const kinds = (text: string): string[] => markdownLines(text).map(({ kind }) => kind);

describe('markdownLines', () => {
  it('reads headings with their level and title', () => {
    const lines = markdownLines('# One\n### Two ##\nThree\n=====\n\nFour\n-----\n');
    expect(lines.filter(({ kind }) => kind === 'heading').map(({ level, title }) => [level, title])).toEqual([
      [1, 'One'],
      [3, 'Two'],
      [1, 'Three'],
      [2, 'Four'],
    ]);
    expect(lines.filter(({ kind }) => kind === 'underline')).toHaveLength(2);
  });

  it.each(['#hashtag', '#', '####### seven', `# ${'x'.repeat(250)}`, '    # indented code'])('reads %j as text', (line) => {
    expect(kinds(line)).toEqual(['text']);
  });

  it('distinguishes a rule from the underline of a heading', () => {
    expect(kinds('# A\n---\ntext one\ntext two\n---\n\n***')).toEqual(['heading', 'rule', 'text', 'text', 'rule', 'blank', 'rule']);
    expect(kinds('- item\n---')).toEqual(['text', 'rule']);
  });

  it('closes a code block with at least as many of the same marks', () => {
    expect(kinds('````md\n```\n# no heading\n~~~\n`````\n# A')).toEqual(['code', 'code', 'code', 'code', 'code', 'heading']);
  });

  it('reads code blocks in lists and quotes', () => {
    expect(kinds('1. ```sh\n   # a\n   ```\n> ~~~\n> b\n> ~~~\ntext')).toEqual(['code', 'code', 'code', 'code', 'code', 'code', 'text']);
  });

  it('reads a line of inline code between three marks as text', () => {
    expect(kinds('```a```\n# A')).toEqual(['text', 'heading']);
  });

  it('reads tables with and without outer pipes', () => {
    expect(kinds('| a |\n|---|\n| b |\n\na | b\n--- | ---\nc | d\n\nx | y')).toEqual([
      ...['table', 'table', 'table', 'blank', 'table', 'table', 'table', 'blank', 'text'],
    ]);
  });

  it('reads the header of a document, but no other block', () => {
    expect(kinds('---\ntitle: x\n---\n# A')).toEqual(['matter', 'matter', 'matter', 'heading']);
    expect(kinds('---\nNo header.\n---')).toEqual(['rule', 'heading', 'underline']);
  });

  it('covers the text with lines at their exact places', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', '#', ' ', '\n', '\r', '`', '|', '-', '=') }), (text) => {
        const lines = markdownLines(text);
        for (const line of lines) expect(text.startsWith(line.text, line.start)).toBe(true);
        expect(lines.map((line) => line.text).join('')).toBe(text.replace(/[\r\n]/g, ''));
      }),
    );
  });
});
