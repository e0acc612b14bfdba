import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dividesByZero, exactValue } from '../../../../src/core/arithmetic/expression.ts';
import { exactRoot, parseRational, rational, toDigits } from '../../../../src/core/util/rational.ts';

const digits = (expression: string): string | undefined => {
  const value = exactValue(expression);
  return value && toDigits(value);
};

describe('exactValue', () => {
  it.each([
    ['0.1 + 0.2', '0.3'],
    ['2^100', '1267650600228229401496703205376'],
    ['1/8', '0.125'],
    ['-7 % 3', '-1'],
    ['sqrt(2.25)', '1.5'],
    ['cbrt(27) + 1e3', '1003'],
    ['2^-2', '0.25'],
    ['9007199254740993 + 0', '9007199254740993'],
  ])('%s is %s', (expression, value) => {
    expect(digits(expression)).toBe(value);
  });

  it.each(['1/3', 'sqrt(2)', 'PI', 'sin(1)', '2^0.5', '1/0', '2^10000', 'max(1, 2)'])('%s has endless digits', (expression) => {
    expect(digits(expression)).toBeUndefined();
  });

  it('agrees with BigInt', () => {
    const whole = fc.bigInt({ min: 0n, max: 10n ** 30n });
    fc.assert(
      fc.property(whole, whole, whole, (a, b, c) => {
        expect(digits(`${a} * ${b} - ${c}`)).toBe(String(a * b - c));
        expect(digits(`(${a} + ${b}) * ${c}`)).toBe(String((a + b) * c));
      }),
    );
  });
});

it('dividesByZero finds a division at any depth', () => {
  for (const expression of ['1/0', '5 % 0', '1 / (2 - 2)', '3 + 4 / (0 * 9)']) expect(dividesByZero(expression)).toBe(true);
  for (const expression of ['0/1', '1/3', 'sqrt(-1)']) expect(dividesByZero(expression)).toBe(false);
});

it('exactRoot returns an exact root or undefined', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 10n ** 20n }), (root) => {
      expect(exactRoot(rational(root * root), 2n)).toEqual(rational(root));
      expect(exactRoot(rational(root ** 3n), 3n)).toEqual(rational(root));
      expect(exactRoot(rational(root * root + 1n), 2n)).toEqual(root === 0n ? rational(1n) : undefined);
    }),
  );
  expect(parseRational('1e3')).toEqual(rational(1000n));
});
