import fc from 'fast-check';
import { optionInvalid } from '../../core/util/check-options.ts';

const maxAttempts = 500;

/**
 * Filters the values of an arbitrary. Unlike `filter`, it does not loop forever if no value passes.
 * @throws {WorkflowError} `OPTION_INVALID` if none of 500 values passes.
 */
export function someOf<T, TFitting extends T>(
  all: fc.Arbitrary<T>,
  fits: ((value: T) => value is TFitting) | ((value: T) => boolean),
  what: string,
): fc.Arbitrary<TFitting> {
  for (let seed = 1; seed <= maxAttempts; seed++) {
    if (fc.sample(all, { numRuns: 1, seed }).some(fits)) return all.filter(fits as (value: T) => value is TFitting);
  }
  throw optionInvalid(
    `Values cannot be generated: found ${what} in ${maxAttempts} attempts.`,
    'Pass your own arbitrary, or relax the options.',
  );
}
