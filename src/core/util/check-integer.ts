import { WorkflowError } from '../errors/errors.ts';

/**
 * Returns an option if it is a whole number within its bounds.
 * @throws {WorkflowError} `OPTION_INVALID` otherwise.
 */
export function checkInteger(name: string, value: number, { min, max = Number.MAX_SAFE_INTEGER }: { min: number; max?: number }): number {
  if (Number.isSafeInteger(value) && value >= min && value <= max) return value;
  throw new WorkflowError({
    code: 'OPTION_INVALID',
    message: `${name} is ${typeof value === 'number' ? value : 'no number'}.`,
    hint: `Pass a whole number from ${min} to ${max}.`,
    data: { option: name },
  });
}

/** Checks a time limit; timers above 2^31 - 1 ms would fire immediately. */
export function checkTimeout(name: string, value: number): number {
  return checkInteger(name, value, { min: 1, max: 2 ** 31 - 1 });
}
