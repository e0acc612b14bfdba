import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareVersions } from '../../../../src/core/util/compare-versions.ts';

describe('compareVersions', () => {
  it.each([
    ['numbers by their value', ['1', '2', '10', '10.0.1', '10.1', '11']],
    [
      'a pre-release before its release',
      ['1.0.0-alpha', '1.0.0-alpha.1', '1.0.0-alpha.beta', '1.0.0-beta', '1.0.0-beta.2', '1.0.0-beta.11', '1.0.0-rc.1', '1.0.0', '1.0.1-0'],
    ],
    ['numbers that are longer than a number can be', ['99999999999999999998', '99999999999999999999', '100000000000000000000']],
    ['texts that are no versions first, by their letters', ['', 'draft', 'final', '0']],
    ['the same version in other words by their letters', ['1.0', '1.0.0', 'v1.0']],
  ])('puts %s', (_what, ordered) => {
    expect([...ordered].reverse().sort(compareVersions)).toEqual(ordered);
    expect([...ordered].sort(compareVersions)).toEqual(ordered);
  });

  it('is transitive for three texts, and zero only for equal ones', () => {
    const part = fc.constantFrom('0', '1', '01', '2', '10', 'a', 'beta', '');
    const version = fc.oneof(
      fc.string({ maxLength: 4 }),
      fc
        .tuple(
          fc.array(part, { minLength: 1, maxLength: 3 }),
          fc.array(part, { maxLength: 2 }),
          fc.constantFrom('', 'v'),
          fc.constantFrom('', '+b1'),
        )
        .map(([numbers, before, v, build]) => `${v}${numbers.join('.')}${before.length > 0 ? '-' : ''}${before.join('.')}${build}`),
    );
    const sign = (a: string, b: string): number => Math.sign(compareVersions(a, b));
    fc.assert(
      fc.property(version, version, version, (a, b, c) => {
        expect(sign(a, b)).toBe(0 - sign(b, a));
        expect(sign(a, b) === 0).toBe(a === b);
        if (sign(a, b) < 0 && sign(b, c) < 0) expect(sign(a, c)).toBe(-1);
      }),
      { numRuns: 3_000 },
    );
  });
});
