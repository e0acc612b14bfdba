import { boundTokens, cutAllToTokens, cutToTokens } from 'agent-machines/memory';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

const mark = /\[… ([\d,]+)(?: characters left out|자 생략) …\]/;
const leftOut = (cut: string): number => Number(mark.exec(cut)?.[1]?.replaceAll(',', ''));

describe('cutToTokens', () => {
  it('leaves a text that fits unchanged', () => {
    expect(cutToTokens('하나. 둘. 셋.', 50)).toBe('하나. 둘. 셋.');
  });

  it('cuts at the ends of sentences and states the missing length in the language of the text', () => {
    const english = Array.from({ length: 400 }, (_, i) => `This is sentence number ${i + 1}.`).join(' ');
    const cut = cutToTokens(english, 200);
    const [start = '', end = ''] = cut.split(/\n\[…[^\]]*…\]\n/);
    expect(start).toMatch(/^This is sentence number 1\. .*number \d+\.$/s);
    expect(end).toMatch(/^This is .* number 400\.$/s);
    expect(leftOut(cut)).toBe(english.length - start.length - end.length);
    expect(cutToTokens('한 문장이다. '.repeat(500), 200)).toMatch(/[\d,]+자 생략/);
  });

  it.each([
    ['one word', 'x'.repeat(200_000)],
    ['Korean without blanks', '가나다라마바사'.repeat(30_000)],
    ['emoji', '👨‍👩‍👧‍👦😀'.repeat(20_000)],
    ['five megabytes', 'All work and no play. '.repeat(240_000)],
    ['backticks', '`'.repeat(100_000)],
    ['line breaks', '\n'.repeat(100_000)],
    ['full stops', '. '.repeat(100_000)],
    ['JSON', JSON.stringify(Array.from({ length: 20_000 }, (_, i) => ({ id: i, name: `n${i}` })))],
  ])('keeps its limit and splits no character: %s', (_what, text) => {
    for (const maxTokens of [0, 10, 40, 48, 100, 5_000]) {
      const cut = cutToTokens(text, maxTokens);
      expect(boundTokens(cut)).toBeLessThanOrEqual(maxTokens);
      expect(cut.isWellFormed()).toBe(true);
    }
    expect(leftOut(cutToTokens(text, 5_000))).toBeGreaterThan(text.length / 2);
  });

  it('fits any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 600 }), fc.nat(300), (text, maxTokens) => {
        const cut = cutToTokens(text, maxTokens);
        if (boundTokens(text) <= maxTokens) expect(cut).toBe(text);
        else expect(boundTokens(cut)).toBeLessThanOrEqual(maxTokens);
      }),
    );
  });
});

describe('cutAllToTokens', () => {
  it('cuts the longest text first', () => {
    const [short, long, longer] = cutAllToTokens(['짧다.', 'Long. '.repeat(200), 'Long. '.repeat(400)], 300);
    expect(short).toBe('짧다.');
    expect(Math.abs(boundTokens(long ?? '') - boundTokens(longer ?? ''))).toBeLessThan(20);
    expect([short, long, longer].reduce((sum, text = '') => sum + boundTokens(text), 0)).toBeLessThanOrEqual(300);
  });
});
