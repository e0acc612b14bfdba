import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { toLinearPattern } from '../../src/core/schema/linear-pattern.ts';
import { share } from '../fixtures/share.ts';

const character = fc.constantFrom(...'ab1_- é가\n\u2028', '😀', '\ud800', 'A');
const text = fc.array(character, { maxLength: 8 }).map((all) => all.join(''));

const atom = fc.constantFrom(
  ...['a', 'b', '1', '😀', '.', '\\d', '\\D', '\\w', '\\W', '\\s', '\\S', '\\.', '\\n', '\\x61', '\\u0062', '\\u{1F600}', '\\ud83d\\ude00'],
  ...['[ab]', '[^a]', '[a-c1]', '[\\w-]', '[\\s\\S]', '[^]', '[]', '\\p{L}', '\\P{Script=Hangul}', '[\\p{Lu}\\d]', '[\\]a]', '\\cJ', '\\t'],
);
const { source } = fc.letrec<{ source: string; term: string }>((tie) => ({
  term: fc.oneof(
    { maxDepth: 3, depthIdentifier: 'pattern', withCrossShrink: true },
    { weight: 5, arbitrary: atom },
    { weight: 2, arbitrary: fc.constantFrom('^', '$', '\\b', '\\B') },
    {
      weight: 4,
      arbitrary: fc
        .tuple(
          fc.constantFrom('(', '(?:', '(?<n>'),
          tie('source'),
          fc.constantFrom('', '*', '+', '?', '*?', '{2}', '{1,2}', '{0,3}?', '{1,}'),
        )
        .map(([open, inner, times]) => `${open.replace('?<n>', '?:')}${inner})${times}`),
    },
    {
      weight: 2,
      arbitrary: fc.tuple(atom, fc.constantFrom('*', '+', '?', '+?', '{2}', '{1,3}', '{2,}')).map((parts) => parts.join('')),
    },
  ),
  source: fc
    .array(
      fc.array(tie('term'), { maxLength: 3 }).map((all) => all.join('')),
      { minLength: 1, maxLength: 2 },
    )
    .map((all) => all.join('|')),
}));

/** Tries every character: V8 itself also begins between the halves of one, where no match can. */
function matchesSomewhere(sticky: RegExp, one: string): boolean {
  const begins = [0];
  for (const each of one) begins.push((begins.at(-1) ?? 0) + each.length);
  return begins.some((begin) => {
    sticky.lastIndex = begin;
    return sticky.test(one);
  });
}

describe('a pattern', () => {
  it("matches exactly like JavaScript's own engine", () => {
    let [yes, no] = [0, 0];
    fc.assert(
      fc.property(source, fc.array(text, { minLength: 5, maxLength: 10 }), (pattern, texts) => {
        const [own, native] = [toLinearPattern(pattern), new RegExp(pattern, 'uy')];
        for (const one of texts) {
          const expected = matchesSomewhere(native, one);
          expect({ pattern, one, matches: own.test(one) }).toEqual({ pattern, one, matches: expected });
          if (expected) yes++;
          else no++;
        }
      }),
      { numRuns: share(3_000) },
    );
    expect(Math.min(yes, no)).toBeGreaterThan(share(1_000));
  });

  it('supports all patterns of zod except three with lookarounds inside', () => {
    const inside = ['duration', 'extendedDuration', 'iban'];
    const sources = Object.entries(z.regexes).flatMap(([name, one]) => (one instanceof RegExp && !inside.includes(name) ? [one] : []));
    expect(sources.length).toBeGreaterThan(20);
    const samples = [
      '',
      'a@b.co',
      'a..b@c.de',
      '2026-01-31',
      '::1',
      '1.2.3.4',
      'example.com',
      'P1D',
      'P',
      'abc=',
      '0',
      '-1.5',
      'true',
      '😀',
    ];
    for (const one of sources) {
      const own = toLinearPattern(one.source);

      for (const sample of samples) expect([one.source, sample, own.test(sample)]).toEqual([one.source, sample, one.test(sample)]);
    }
  });
});
