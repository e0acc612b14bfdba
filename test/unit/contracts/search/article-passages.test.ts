import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { articlePassages } from '../../../../src/contracts/search/article-passages.ts';

const passages = (text: string, title = ''): readonly string[] => articlePassages({ title, text });

describe('articlePassages', () => {
  it('starts a passage at each paragraph and keeps its items with it', () => {
    expect(passages('① 하나.\n② 둘은 다음과 같다.\n1. 가\n2. 나\n**③** 셋.')).toEqual([
      '① 하나.',
      '② 둘은 다음과 같다.\n1. 가\n2. 나',
      '**③** 셋.',
    ]);
  });

  it('starts a passage at each lettered paragraph', () => {
    expect(passages('(a) One.\n(b) Two.\nStill two.')).toEqual(['(a) One.', '(b) Two.\nStill two.']);
  });

  it('cuts a long text at a sentence', () => {
    const sentence = `${'가나다 '.repeat(30)}한다.`;
    const cut = passages(Array.from({ length: 6 }, () => sentence).join(' '));
    expect(cut.length).toBeGreaterThan(1);
    for (const passage of cut) {
      expect(passage.length).toBeLessThanOrEqual(400);
      expect(passage).toMatch(/한다\.$/);
    }
  });

  it('returns the title for an article without a text, and nothing without either', () => {
    expect(passages(' \n', '목적')).toEqual(['목적']);
    expect(passages('')).toEqual([]);
  });

  it('loses only white space', () => {
    const piece = fc.constantFrom(
      '① 계약',
      '을은 갑에게 지급한다.',
      '1. 금액',
      '\n',
      ' ',
      '(b) x',
      '가'.repeat(450),
      '**②**',
      'word '.repeat(60),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const text = pieces.join('');
        expect(passages(text).join('').replace(/\s/g, '')).toBe(text.replace(/\s/g, ''));
        for (const passage of passages(text)) expect(text).toContain(passage);
      }),
    );
  });
});
