import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shorten } from '../../../../src/core/errors/shorten.ts';
import { maxShown, shownList } from '../../../../src/core/util/shown-list.ts';

describe('shownList', () => {
  it('shows a short list in full', () => {
    expect(shownList([])).toBe('');
    expect(shownList(['a', 'b'])).toBe('a; b');
    expect(shownList(['a', 'b'], ', ')).toBe('a, b');
    expect(shownList(Array.from({ length: 20 }, () => 'x'))).toBe(Array.from({ length: 20 }, () => 'x').join('; '));
  });

  it('counts the items that it leaves out', () => {
    expect(shownList(Array.from({ length: 21 }, (_, n) => `${n}`))).toMatch(/; 19; and 1 more$/);
    expect(shownList(Array.from({ length: 20 }, () => 'x'.repeat(1_000)))).toMatch(/…; and 12 more$/);
  });

  it('has at most 20 items and 4,000 characters, and every item is shown or counted', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.string({ maxLength: 900, size: 'max' }).map((text) => text.replaceAll(';', '')),
          { maxLength: 60 },
        ),
        (texts) => {
          const list = shownList(texts);
          expect(list.length).toBeLessThanOrEqual(4_000);
          const more = Number(/and (\d+) more$/.exec(list)?.[1] ?? 0);
          const shown = texts.length - more;
          expect(shown).toBeLessThanOrEqual(maxShown);
          const all = texts.slice(0, shown).map((text) => shorten(text, 400));
          expect(list).toBe([...all, ...(more > 0 ? [`and ${more} more`] : [])].join('; '));
        },
      ),
    );
  });
});

describe('shorten', () => {
  it('never splits a character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 30 }), fc.integer({ min: 1, max: 20 }), (text, maxLength) => {
        const short = shorten(text, maxLength);
        expect(short.length).toBeLessThanOrEqual(maxLength);
        expect(short.isWellFormed()).toBe(text.isWellFormed());
        expect(short === text).toBe(text.length <= maxLength);
      }),
    );
  });
});
