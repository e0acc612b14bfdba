import type { StatedFact } from 'agent-machines/memory';
import { describe, expect, it } from 'vitest';
import { carryFacts } from '../../../../src/agents/memory/carry-facts.ts';

const factOf = (key: string, bytes: number): StatedFact => ({ key, text: 'x'.repeat(bytes - 1), messageId: `of ${key}` });
const keysOf = (facts: readonly StatedFact[]): string => facts.map(({ key }) => key).join(' ');

describe('carryFacts', () => {
  it('carries at most 1,024 bytes, counting a line break per fact', () => {
    const seven = ['b', 'c', 'd', 'e', 'f', 'g', 'h'].map((key) => factOf(key, 128));
    expect(keysOf(carryFacts([factOf('a', 128)], seven))).toBe('a b c d e f g h');
    expect(keysOf(carryFacts([factOf('a', 129)], seven))).toBe('b c d e f g h');
  });

  it('evicts the oldest facts first, even if one of them would fit', () => {
    expect(keysOf(carryFacts([factOf('a', 10), factOf('b', 900)], [factOf('c', 200)]))).toBe('c');
  });

  it('moves a fact to the end when it is stated again', () => {
    const facts = carryFacts([factOf('a', 10), factOf('b', 10)], [{ ...factOf('a', 20), messageId: 'later' }]);
    expect(keysOf(facts)).toBe('b a');
    expect(facts.at(-1)?.messageId).toBe('later');
  });
});
