import fc from 'fast-check';
import { WorkflowError } from '../../core/errors/errors.ts';

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
  throw new WorkflowError({
    code: 'OPTION_INVALID',
    message: `Values cannot be generated: found ${what} in ${maxAttempts} attempts.`,
    hint: 'Pass your own arbitrary, or relax the options.',
  });
}
