import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { alignSequences } from '../../../../src/core/text/align-sequences.ts';
import { printRedline, type RedlinePart, redline } from '../../../../src/core/text/redline.ts';
import { wordTokens } from '../../../../src/core/text/word-tokens.ts';
import { codePoint } from '../../../fixtures/code-point.ts';

const without = (parts: readonly RedlinePart[], kind: RedlinePart['kind']): string =>
  parts.flatMap((part) => (part.kind === kind ? [] : [part.text])).join('');
const exchanged = (parts: readonly RedlinePart[]): string[] =>
  parts.map(({ kind, text }) => `${kind === 'same' ? kind : kind === 'deleted' ? 'inserted' : 'deleted'} ${text}`).sort();

const words =
  '갑은 을에게 임대인은 임차인의 계약을 해지할 수 있다. 없다. 30일 10,000원 , ( ) shall not pay the Party’s\n ① \n\n 제5조 e\u0301 👩‍💻'.split(
    ' ',
  );
const clause = fc.array(fc.constantFrom(...words), { maxLength: 30 }).map((some) => some.join(' '));
const anything = fc.oneof(clause, fc.string({ unit: 'grapheme', maxLength: 40 }), fc.string({ unit: codePoint, maxLength: 20 }));
/** A text and one that was made of it. */
const edited = fc
  .tuple(fc.array(fc.constantFrom(...words), { minLength: 5, maxLength: 40 }), fc.nat(39), fc.nat(6), clause)
  .map(([some, at, many, other]): [string, string] => [some.join(' '), [...some.slice(0, at), other, ...some.slice(at + many)].join(' ')]);

describe('redline', () => {
  it('restores both texts exactly', () => {
    fc.assert(
      fc.property(fc.oneof(fc.tuple(anything, anything), edited), ([before, after]) => {
        const parts = redline(before, after);
        expect(without(parts, 'inserted')).toBe(before);
        expect(without(parts, 'deleted')).toBe(after);
        expect(parts.every(({ text }) => text !== '')).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it('is symmetric except for exchanged insertions and deletions', () => {
    fc.assert(
      fc.property(fc.oneof(fc.tuple(anything, anything), edited), ([before, after]) => {
        expect(exchanged(redline(after, before))).toEqual(
          redline(before, after)
            .map(({ kind, text }) => `${kind} ${text}`)
            .sort(),
        );
      }),
      { numRuns: 500 },
    );
  });

  it('marks nothing between a text and itself', () => {
    fc.assert(
      fc.property(anything, (text) => {
        expect(redline(text, text)).toEqual(text === '' ? [] : [{ kind: 'same', text }]);
      }),
    );
  });

  it('restores both texts if they are long and have nothing in common', () => {
    const text = (seed: string): string =>
      Array.from({ length: 9_000 }, (_, i) => `${seed}${(i * 7_919) % 997}${i % 90 === 0 ? '\n' : ''}`).join(' ');
    const [before, after] = [`${text('가')} 끝`, `${text('나')} 끝 함께`];
    const parts = redline(before, after);
    expect([without(parts, 'inserted') === before, without(parts, 'deleted') === after]).toEqual([true, true]);
  });
});

describe('printRedline', () => {
  it.each([
    ['계약을 해지할 수 있다.', '계약을 해지할 수 없다.', '계약을 해지할 수 [-있다-]{+없다+}.'],
    ['임대인은 고친다.', '임차인은 고친다.', '[-임대인-]{+임차인+}은 고친다.'],
    ['통지일부터 30일 이내', '통지일부터 15일 이내', '통지일부터 [-30일-]{+15일+} 이내'],
    ['갑은 을에게 준다.', '을은 갑에게 준다.', '[-갑은-] 을{+은 갑+}에게 준다.'],
    ['금 10,000,000원을', '금 1,000,000원을', '금 [-10,000,000원-]{+1,000,000원+}을'],
    ['shall pay', 'shall not pay', 'shall {+not+} pay'],
    ['The Supplier may assign', 'The Buyer may assign', 'The [-Supplier-]{+Buyer+} may assign'],
    ['① 하나.\n② 둘.', '① 하나.\n② 새것.\n③ 둘.', '① 하나.\n② {+새것.+}\n{+③+} 둘.'],
    ['하나.\n셋.', '하나.\n둘.\n셋.', '하나.\n{+둘.+}\n셋.'],
    ['A paid B. A paid C.', 'A paid B. A paid D. A paid C.', 'A paid B. {+A paid D.+} A paid C.'],
    ['두 칸  사이', '두 칸 사이', '두 칸 사이'],
    ['', '새로', '{+새로+}'],
    ['옛것', '', '[-옛것-]'],
  ])('%j and %j', (before, after, expected) => {
    expect(printRedline(redline(before, after))).toBe(expected);
  });

  it("marks each line separately in the caller's style", () => {
    const parts = redline('하나.\n', '하나.\n둘 셋\n  넷\n');
    expect(printRedline(parts)).toBe('하나.\n{+둘 셋+}\n  {+넷+}\n');
    expect(printRedline(parts, { mark: ({ kind, text }) => `<${kind}>${text}</>` })).toBe('하나.\n<inserted>둘 셋</>\n  <inserted>넷</>\n');
  });

  it('omits unchanged text', () => {
    const parts = redline('하나 둘 셋 넷 다섯 여섯 일곱', '하나 둘 셋 아홉 다섯 여섯 일곱');
    expect(printRedline(parts, { contextChars: 4 })).toBe('…둘 셋 [-넷-]{+아홉+} 다섯…');
  });
});

describe('wordTokens', () => {
  it('loses no character', () => {
    fc.assert(
      fc.property(anything, (text) => {
        const joined = wordTokens(text).map(({ word, gap }) => word + gap);
        expect(joined.join('')).toBe(text);
      }),
    );
  });
});

describe('alignSequences', () => {
  /** How many can stay, by trying everything. */
  const most = (a: readonly number[], b: readonly number[]): number => {
    const [first, ...rest] = a;
    if (first === undefined) return 0;
    const at = b.indexOf(first);
    return Math.max(most(rest, b), at < 0 ? 0 : 1 + most(rest, b.slice(at + 1)));
  };

  it('keeps the longest common subsequence in order', () => {
    const list = fc.array(fc.nat(3), { maxLength: 9 });
    fc.assert(
      fc.property(list, list, (a, b) => {
        const partners = [...alignSequences(Int32Array.from(a), Int32Array.from(b))];
        const kept = partners.filter((at) => at >= 0);
        expect(kept).toEqual([...new Set(kept)].sort((one, other) => one - other));
        expect(partners.every((at, index) => at < 0 || b[at] === a[index])).toBe(true);
        expect(kept).toHaveLength(most(a, b));
      }),
      { numRuns: 500 },
    );
  });
});
