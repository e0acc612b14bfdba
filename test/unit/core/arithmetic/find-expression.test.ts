import { describe, expect, it } from 'vitest';
import { evaluateExpression, functionNames } from '../../../../src/core/arithmetic/expression.ts';
import { findExpression } from '../../../../src/core/arithmetic/find-expression.ts';

describe('findExpression', () => {
  it.each([
    ['3 더하기 4는 얼마야?', 7],
    ['1,200 × 3 계산해줘', 3_600],
    ['What is 20 divided by (2 + 3)?', 4],
    ['50,000의 10%는?', 5_000],
    ['15% of 200', 30],
    ['sqrt(16) + 1 부탁해', 5],
    ['10-4 계산해줘', 6],
  ])('finds what the calculator can read: %s', (sentence, result) => {
    expect(evaluateExpression(findExpression(sentence) ?? '')).toBe(result);
  });

  it('finds every function of the calculator, but no other word', () => {
    const missed = functionNames.filter((name) => findExpression(`${name}(1) 계산해줘`) !== `${name}(1)`);
    expect(missed).toEqual(['sign']);
    expect(findExpression('sign (2 copies)')).toBeUndefined();
  });

  it.each([
    '5천만원 + 3*2 계산해줘',
    '2*3만은 얼마야',
    'what is (3+4)*5 squared',
    '내 전화번호 010-1234-5678 더하기 1',
    '버전 1.2.3 더하기 1',
    '2,5 times 4',
    'fix this: for i in range(10) print(i)',
  ])('finds nothing in an incomplete or ambiguous sum: %s', (sentence) => {
    expect(findExpression(sentence)).toBeUndefined();
  });

  it.each(['오늘은 2026-11-20이야', '3-5월에 갔어', 'v1.4.18을 써', '010-1234-5678', 'docs/a-b.md', '제5조'])(
    'does not read %s as arithmetic',
    (sentence) => {
      expect(findExpression(sentence)).toBeUndefined();
    },
  );
});
