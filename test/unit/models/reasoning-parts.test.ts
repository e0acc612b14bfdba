import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { reasoningParts } from '../../../src/models/reasoning-parts.ts';

function tell(pieces: readonly string[], whole?: string): string[] {
  const told: string[] = [];
  const parts = reasoningParts((text) => told.push(text));
  for (const piece of pieces) parts.add(piece);
  parts.end(whole);
  return told;
}

describe('reasoningParts', () => {
  const paragraph = 'So it is. '.repeat(45).trim();

  it('emits a short thought once for any split', () => {
    expect(tell(['I s', 'ee.\n', '\nYes.'])).toEqual(['I see.\n\nYes.']);
  });

  it('emits a long thought paragraph by paragraph', () => {
    const told: string[] = [];
    const parts = reasoningParts((text) => told.push(text));
    parts.add(`${paragraph}\n`);
    expect(told).toEqual([]);
    parts.add('\nAnd');
    expect(told).toEqual([paragraph]);
    parts.end();
    expect(told).toEqual([paragraph, 'And']);
  });

  it('emits a whole thought once', () => {
    expect(tell([], 'I see.')).toEqual(['I see.']);
    expect(tell(['I see.'], 'I see.')).toEqual(['I see.']);
    expect(tell([' \n'], ' ')).toEqual([]);
  });

  it('loses no word', () => {
    const words = fc.array(fc.constantFrom('so', ' ', '\n\n', paragraph, '생각'));
    fc.assert(
      fc.property(words, (pieces) => {
        const plain = (text: string): string => text.replaceAll(/\s/g, '');
        expect(plain(tell(pieces).join(''))).toBe(plain(pieces.join('')));
      }),
    );
  });
});
