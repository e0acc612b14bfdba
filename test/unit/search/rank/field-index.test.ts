import { describe, expect, it } from 'vitest';
import { createFieldIndex } from '../../../../src/search/rank/field-index.ts';

const words = (text: string): string[] => text.split(' ').filter(Boolean);
const one = (...tokens: string[]): ReadonlyMap<string, number> => new Map(tokens.map((token) => [token, 1]));

describe('createFieldIndex', () => {
  const fields = [
    { texts: ['a', 'b', ''], weight: 3 },
    { texts: ['b c', 'a c', 'c c d'], weight: 1 },
    { texts: ['x', 'x', 'x'], weight: 0 },
  ];
  const index = createFieldIndex({ size: 3, fields, tokenizer: words });

  it('scores by the formula, over the weighted counts and lengths of all fields', () => {
    const rarity = Math.log(1 + (3 - 2 + 0.5) / (2 + 0.5));
    const score = (count: number, length: number) => (rarity * count * 2.2) / (count + 1.2 * (0.25 + (0.75 * length) / (13 / 3)));
    const scores = index.score(one('a'));
    expect(scores[0]).toBeCloseTo(score(3, 5), 10);
    expect(scores[1]).toBeCloseTo(score(1, 5), 10);
    expect(scores[2]).toBe(0);
  });

  it('counts a token by its weight', () => {
    const whole = index.score(one('d'));
    expect(index.score(new Map([['d', 0.5]]))[2]).toBeCloseTo((whole[2] ?? 0) / 2, 10);
  });

  it('does not search a field of weight 0', () => {
    expect([...index.score(one('x'))]).toEqual([0, 0, 0]);
    expect(index.frequency('x')).toBe(0);
  });

  it('counts documents and tokens', () => {
    expect(index).toMatchObject({ size: 3, totalLength: 13 });
    expect(index.frequency('a')).toBe(2);
    expect(index.frequency('nowhere')).toBe(0);
  });

  it('scores two halves with the statistics of the whole like the whole', () => {
    const half = (from: number, to: number) =>
      createFieldIndex({
        size: to - from,
        fields: fields.map(({ texts, weight }) => ({ texts: texts.slice(from, to), weight })),
        tokenizer: words,
      });
    const halves = [half(0, 1), half(1, 3)].flatMap((each) => [...each.score(one('a', 'c'), index)]);
    expect(halves).toEqual([...index.score(one('a', 'c'))]);
  });

  it('finds nothing in no documents', () => {
    expect(createFieldIndex({ size: 0, fields: [] }).score(one('a'))).toHaveLength(0);
  });
});
