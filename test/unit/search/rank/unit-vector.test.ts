import { describe, expect, it } from 'vitest';
import { unitVector } from '../../../../src/search/rank/unit-vector.ts';

describe('unitVector', () => {
  it('scales a vector to length 1', () => {
    expect([...unitVector('m', [3, 4], 2)]).toEqual([Math.fround(0.6), Math.fround(0.8)]);
  });

  it.each([
    ['too short', [1]],
    ['too long', [1, 2, 3]],
    ['not a number', [1, Number.NaN]],
    ['infinite', [1, Infinity]],
    ['a text', [1, '2']],
    ['null', [1, null]],
    ['zero', [0, 0]],
    ['too large', [1e200, 1]],
  ])('refuses a vector that is %s', (_, values) => {
    expect(() => unitVector('m', values, 2)).toThrow(expect.objectContaining({ code: 'EMBEDDER_INVALID' }));
  });
});
