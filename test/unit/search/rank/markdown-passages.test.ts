import { markdownPassages } from 'agent-machines/search';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

const passagesOf = (text: string) => markdownPassages({ name: 'a.md', text });
const headingsAndTexts = (text: string) => passagesOf(text).map((passage) => [passage.heading, passage.text]);

/** `count` sentences of about 50 characters that can be told apart. */
const prose = (count: number, word = 'Sentence'): string =>
  Array.from({ length: count }, (_, i) => `${word} number ${i + 1} says something of its own here.`).join(' ');

describe('markdownPassages', () => {
  it('makes one passage of each section, with the path of its headings', () => {
    expect(headingsAndTexts('Intro.\n# Concepts\nText.\n## Journal\nMore.\n# Other\nEnd.')).toEqual([
      ['', 'Intro.'],
      ['Concepts', 'Text.'],
      ['Concepts › Journal', 'More.'],
      ['Other', 'End.'],
    ]);
  });

  it('names the document of a passage', () => {
    expect(markdownPassages({ name: 'docs/a.md', text: 'Text.' })).toEqual([{ source: 'docs/a.md', heading: '', text: 'Text.' }]);
  });

  it('keeps the path right if levels are left out', () => {
    expect(headingsAndTexts('### Deep\na\n## Higher\nb\n#### Low\nc')).toEqual([
      ['Deep', 'a'],
      ['Higher', 'b'],
      ['Higher › Low', 'c'],
    ]);
  });

  it('makes a heading without a body findable', () => {
    expect(headingsAndTexts('# A\n## B\n## C\ntext\n# D')).toEqual([
      ['A › B', 'B'],
      ['A › C', 'text'],
      ['D', 'D'],
    ]);
  });

  it('makes no passage of an empty document', () => {
    expect(passagesOf(' \n\n')).toEqual([]);
  });

  it('reads plain text and Windows line breaks', () => {
    expect(headingsAndTexts('Title\r\n=====\r\n\r\n  first\r\nsecond\r\n')).toEqual([['Title', '  first\r\nsecond']]);
  });

  it('reads no heading from a code block', () => {
    expect(headingsAndTexts('# A\n```sh\n# comment\n```')).toEqual([['A', '```sh\n# comment\n```']]);
  });

  it('cuts a long section between paragraphs', () => {
    const paragraphs = [prose(20, 'One'), prose(20, 'Two'), prose(20, 'Three')];
    const passages = passagesOf(`# A\n\n${paragraphs.join('\n\n')}\n`);
    expect(passages.map(({ text }) => text)).toEqual(paragraphs);
    expect(new Set(passages.map(({ heading }) => heading))).toEqual(new Set(['A']));
  });

  it('packs short paragraphs together', () => {
    const texts = passagesOf(Array.from({ length: 30 }, () => prose(2)).join('\n\n')).map(({ text }) => text.length);
    expect(Math.min(...texts)).toBeGreaterThan(600);
    expect(Math.max(...texts)).toBeLessThanOrEqual(1_200);
  });

  it('does not leave a short remainder alone', () => {
    const [only, ...others] = passagesOf(`${prose(21)}\n\nThe end.`);
    expect(others).toEqual([]);
    expect(only?.text.endsWith('The end.')).toBe(true);
  });

  it('keeps a code block and a table whole if they fit', () => {
    const code = `\`\`\`ts\n${'line();\n\n'.repeat(90)}\`\`\``;
    const table = `| a | b |\n|---|---|\n${'| cell | other cell |\n'.repeat(40)}`.trim();
    const texts = passagesOf(`${prose(12)}\n${code}\n${prose(12)}\n${table}\n${prose(12)}`).map(({ text }) => text);
    expect(texts).toContain(code);
    expect(texts).toContain(table);
  });

  it('cuts a code block that does not fit at its lines', () => {
    const texts = passagesOf(`\`\`\`\n${'a line of code;\n'.repeat(200)}\`\`\``).map(({ text }) => text);
    expect(texts.length).toBeGreaterThan(2);
    for (const text of texts.slice(1, -1)) expect(text.split('\n').every((line) => line === 'a line of code;')).toBe(true);
  });

  it('cuts a line that does not fit at its sentences', () => {
    const texts = passagesOf(prose(100)).map(({ text }) => text.trim());
    expect(texts.length).toBeGreaterThan(3);
    for (const text of texts) expect(text).toMatch(/^Sentence number .* here\.$/s);
  });

  it('does not repeat a very long heading in the passages below it', () => {
    const title = 'word '.repeat(200);
    expect(passagesOf(`# ${title}\n## B\ntext`).at(-1)?.heading).toBe('B');
  });

  const block = fc.oneof(
    fc.constantFrom('# A', '## 제목 나', '### C c ##', 'Under\n=====', 'Line\n-----', '---', '***', '#', '> quote', '- item\n  more', ''),
    fc.constantFrom('```ts\n# code\n\nmore\n```', '~~~\nunclosed', '| a | b |\n|---|---|\n| c | d |', '---\nkey: value\n---', '\t tab'),
    fc.string({ unit: fc.constantFrom(...'가나다ab.#`|-= \n\r'), maxLength: 40 }),
    fc.nat(60).map((count) => prose(count)),
    fc.nat(200).map((count) => `\`\`\`\n${`line ${count};\n`.repeat(count)}\`\`\``),
    fc.nat(3_000).map((length) => '가'.repeat(length)),
    fc.nat(3_000).map((length) => ' '.repeat(length)),
  );
  const documentText = fc
    .tuple(fc.array(block, { maxLength: 12 }), fc.constantFrom('\n', '\n\n', '\r\n'))
    .map(([blocks, gap]) => blocks.join(gap));

  it('keeps every character of the body in passages and headings, in order', () => {
    fc.assert(
      fc.property(documentText, (text) => {
        const wanted = text.replace(/[\s#=-]/g, ''); // the marks of headings are the only thing left out
        const held = passagesOf(text)
          .map((passage) => passage.heading + passage.text)
          .join('');
        let at = 0;
        for (const character of held) if (character === wanted[at]) at++;
        expect(wanted.slice(at)).toBe('');
      }),
    );
  });

  it('quotes the document verbatim, in bounded pieces that are never blank', () => {
    fc.assert(
      fc.property(documentText, (text) => {
        for (const passage of passagesOf(text)) {
          expect(text).toContain(passage.text);
          expect(passage.text.trim()).not.toBe('');
          expect(passage.text.length).toBeLessThanOrEqual(1_400);
        }
      }),
    );
  });
});
