import { checkSources, describeUnconfirmed } from 'agent-machines/tools';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

const sources = [
  { name: 'docs/rules.md', text: 'Visitors sign in at the gate.\nThey wear a **red** badge. 방문객은 정문에서 서명한다.' },
  { name: 'faq.txt', text: 'See also price-list.pdf.' },
];
const background = ['what does “the quick brown fox” mean in notes.md?'];

describe('checkSources', () => {
  it.each([
    ['“Visitors sign in at the gate” says docs/rules.md.', ['docs/rules.md supported', 'Visitors sign in at the gate supported']],
    ['"They wear a red badge." (rules.md)', ['rules.md supported', 'They wear a red badge. supported']],
    ['> 방문객은 정문에서 서명한다.', ['방문객은 정문에서 서명한다. supported']],
    ['> 방문객은 옥상에서 춤을 춘다.', ['방문객은 옥상에서 춤을 춘다. misquoted']],
    ['“Visitors … red badge”', ['Visitors … red badge supported']],
    ['“Visitors must pay a fee of ten dollars”', ['Visitors must pay a fee of ten dollars misquoted']],
    ['According to handbook.pdf', ['handbook.pdf unknown']],
    ['See price-list.pdf and notes.md', ['price-list.pdf supported', 'notes.md supported']],
    ['You asked for “the quick brown fox”.', ['the quick brown fox supported']],
    ['It is called a “badge”.', []],
    ['```js\nconsole.log("a text of no document at all")\n```', []],
    ['Use `open("some other file here")`.', []],
    ['Look at https://example.com/a.html', []],
    ['휴가규정집.md에 있다.', ['휴가규정집.md unknown']],
    ['Write to me@보고서.md', []],
    ['길'.repeat(300_000), []],
    ['', []],
  ])('checks the citations in %s', (answer, expected) => {
    const found = checkSources(answer, { sources, background });
    expect(found.map(({ label, quote, status }) => `${label}${quote} ${status}`)).toEqual(expected);
  });

  it('accepts any answer, and any part of a source as a quote', () => {
    fc.assert(fc.property(fc.string({ unit: 'grapheme' }), (answer) => Array.isArray(checkSources(answer, { sources }))));
    const text = sources[0]?.text.split('\n')[0] ?? '';
    fc.assert(
      fc.property(fc.nat(text.length), fc.nat(text.length), (a, b) => {
        const stretch = text.slice(Math.min(a, b), Math.max(a, b)).trim();
        expect(checkSources(`“${stretch}”`, { sources }).filter(({ status }) => status === 'misquoted')).toEqual([]);
      }),
    );
  });

  it('describes unconfirmed citations, and returns no text if all are confirmed', () => {
    const wrong = checkSources('“Visitors pay ten dollars a day” (fees.md)', { sources });
    expect(describeUnconfirmed(wrong, false)).toBe(
      'Not confirmed by the documents: fees.md (a document that was not looked up), “Visitors pay ten dollars a day” (in no document)',
    );
    expect(describeUnconfirmed(wrong, true)).toContain('※ 문서에서 확인되지 않은 부분: fees.md (찾아보지 않은 문서)');
    expect(describeUnconfirmed(checkSources('“They wear a red badge.”', { sources }), false)).toBe('');
  });
});
