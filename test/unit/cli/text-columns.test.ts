import fc from 'fast-check';
import stringWidth from 'string-width';
import { expect, it } from 'vitest';
import { textColumns } from '../../../src/cli/text-columns.ts';
import { codePoint } from '../../fixtures/code-point.ts';

const characters = Array.from({ length: 0x1_0000 }, (_, code) => code);

it('counts every character of the basic plane as string-width does', () => {
  const wrong = characters.filter((code) => textColumns(String.fromCodePoint(code)) !== stringWidth(String.fromCodePoint(code)));
  expect(wrong).toEqual([]);
});

const odd = fc.constantFrom(
  ...'\u200d\ufe0f\ufe0e\u0301\u20e3\u1f3fb\u1100\u1161\u11a8👩🚀🇰🇷✓·…“”#1 한글漢字e\u00ad\u0600\u202e\t\u001b[31m',
);
const anyText = fc.array(fc.oneof(odd, fc.string({ unit: 'grapheme', maxLength: 3 }), fc.string({ unit: codePoint, maxLength: 3 })));

it('counts every text as string-width does', () => {
  fc.assert(
    fc.property(anyText, (parts) => {
      expect(textColumns(parts.join(''))).toBe(stringWidth(parts.join('')));
    }),
    { numRuns: 2_000 },
  );
});
