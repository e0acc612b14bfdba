import { boundMessageTokens, boundTokens, estimateTokens } from 'agent-machines/memory';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mostTokensPerUnit } from '../../../../src/models/tokens/bound-tokens.ts';
import { codePoint } from '../../../fixtures/code-point.ts';
import counts from '../../../fixtures/token-counts.json' with { type: 'json' };

describe('boundTokens', () => {
  // counted with the tokenizers of GPT-4 (cl100k_base), GPT-4o (o200k_base) and Llama 3
  it.each(counts)('is not below the real count of $kind: $gpt4, $gpt4o and $llama3', ({ text, gpt4, gpt4o, llama3 }) => {
    expect(boundTokens(text)).toBeGreaterThanOrEqual(Math.max(gpt4, gpt4o, llama3));
  });

  it('is at most about twice the real count for Korean, English and code', () => {
    const common = counts.filter(({ kind }) => /English|TypeScript|Python|JSON|pattern|base64|hexa|^CAPITALS/.test(kind));
    expect(common.length).toBe(8);
    for (const { text, gpt4o } of common) expect(boundTokens(text) / gpt4o).toBeLessThan(2.2);
    for (const { text, gpt4 } of counts.filter(({ kind }) => /Korean (?:prose|without)/.test(kind))) {
      expect(boundTokens(text) / gpt4).toBeLessThan(2);
    }
  });

  it('is at most 1.5 times the highest real count for Arabic, Russian and Thai', () => {
    const others = counts.filter(({ kind }) => /^(?:Arabic|Russian|Thai)/.test(kind));
    expect(others.length).toBeGreaterThan(25);
    for (const { kind, text, gpt4, gpt4o, llama3 } of others) {
      expect(boundTokens(text) / Math.max(gpt4, gpt4o, llama3), kind).toBeLessThanOrEqual(1.5);
    }
  });

  it('is never below the estimate, and for a joined text not above the sum', () => {
    const text = fc.string({ unit: codePoint, maxLength: 80 });
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(boundTokens(a)).toBeGreaterThanOrEqual(estimateTokens(a));
        expect(boundTokens(`${a}\n${b}`)).toBeLessThanOrEqual(boundTokens(a) + boundTokens(b) + 2);
      }),
    );
  });

  it('is never above the bound by length, for every character and each alternating pair', () => {
    const most = (text: string): number => text.length * mostTokensPerUnit + 1;
    const units = Array.from({ length: 0x10000 }, (_, unit) => String.fromCharCode(unit));
    const above = units.filter((unit) => [unit, unit.repeat(2), unit.repeat(9)].some((text) => boundTokens(text) > most(text)));
    expect(above).toEqual([]);
    const kinds = ['a', 'B', '7', ' ', '\t', '.', '\u0001', '가', '漢', 'é', '\ud83d'];
    for (const a of kinds) for (const b of kinds) expect(boundTokens((a + b).repeat(20))).toBeLessThanOrEqual(most((a + b).repeat(20)));
  });

  it('is 0 for an empty text, and larger for a message than for its text', () => {
    expect([boundTokens(''), boundMessageTokens({ role: 'user', content: '' })]).toEqual([0, 6]);
  });
});
