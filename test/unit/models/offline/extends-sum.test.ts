// Whether more is asked than the sum that is typed: read in one go, however long the text is.
import { describe, expect, it } from 'vitest';
import { findExpression } from '../../../../src/core/arithmetic/find-expression.ts';
import { extendsSum } from '../../../../src/models/offline/extends-sum.ts';
import { share } from '../../../fixtures/share.ts';

describe('extendsSum', () => {
  it.each([
    ['12*30', false],
    ['12*30은 360 맞아?', false],
    ['12*30은 ,.1,360.5이 맞아?', false],
    ['12*30은 360 맞아? 그리고 7', true],
    ['12*30은 1,2이야', false],
    ['12*30은 2이야 3', true],
    ['2+3의 절반', true],
    ['2의 결과 말고 2**10', false],
  ])('finds a continuation, but ignores a claimed result: %s', (clause, expected) => {
    expect(extendsSum(clause)).toBe(expected);
  });

  // hours, if from each place all that follows were read
  const size = share(2_000_000, 300_000);
  it.each([
    ['digits', '1'],
    ['digits and commas', '1,'],
    ['digits and stops', '1.'],
    ['differences', '1-2 가 '],
    ['letters', 'x'],
    ['Korean', '가'],
    ['brackets', '('],
    ['signs', '-'],
    ['white space', ' '],
    ['stops', '.'],
    ['lines', '\n'],
    ['a mixture', '가1(a. ,-\n'],
  ])('reads very many %s', (_what, one) => {
    const text = `말 ${one.repeat(size / one.length)}`; // the engine does not look for Korean in a text without any
    expect([extendsSum(text), findExpression(text)]).toEqual([false, undefined]);
  });
});
