import { boundMessageTokens, boundTokens, estimateTokens } from 'agent-machines/memory';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import counts from '../../fixtures/token-counts.json' with { type: 'json' };

describe('boundTokens', () => {
  // counted with the tokenizers of GPT-4 (cl100k_base), GPT-4o (o200k_base) and Llama 3
  it.each(counts)('is not below what $kind really is: $gpt4, $gpt4o and $llama3', ({ text, gpt4, gpt4o, llama3 }) => {
    expect(boundTokens(text)).toBeGreaterThanOrEqual(Math.max(gpt4, gpt4o, llama3));
  });

  it('is not much more than twice it for what people write in Korean and English, and what programs write', () => {
    const common = counts.filter(({ kind }) => /English|TypeScript|Python|JSON|pattern|base64|hexa|CAPITALS/.test(kind));
    expect(common.length).toBe(8);
    for (const { text, gpt4o } of common) expect(boundTokens(text) / gpt4o).toBeLessThan(2.2);
    for (const { text, gpt4 } of counts.filter(({ kind }) => /Korean (?:prose|without)/.test(kind))) {
      expect(boundTokens(text) / gpt4).toBeLessThan(2);
    }
  });

  it('is never below the estimate, and of two texts together not above both', () => {
    const text = fc.string({ unit: 'binary', maxLength: 80 });
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(boundTokens(a)).toBeGreaterThanOrEqual(estimateTokens(a));
        expect(boundTokens(`${a}\n${b}`)).toBeLessThanOrEqual(boundTokens(a) + boundTokens(b) + 2);
      }),
    );
  });

  it('is 0 for nothing; a message costs more than its text', () => {
    expect([boundTokens(''), boundMessageTokens({ role: 'user', content: '' })]).toEqual([0, 6]);
  });
});
