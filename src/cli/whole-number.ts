import { InvalidArgumentError } from 'commander';

/**
 * Reads the number of a flag, as digits: `1e3` and `0x10` are none, and what has a sign only where there may be less than 0.
 *
 * @param least How the smallest one is called.
 */
export const wholeNumber =
  (min: number, max: number, least: string = String(min)) =>
  (text: string): number => {
    const value = (min < 0 ? /^-?\d+$/ : /^\d+$/).test(text.trim()) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    throw new InvalidArgumentError(`It is not a whole number from ${least} to ${max}.`);
  };
