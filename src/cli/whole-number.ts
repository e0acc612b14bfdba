import { InvalidArgumentError } from 'commander';

/**
 * Parses the number of a flag, in decimal digits. Rejects `1e3` and `0x10`, and a sign unless negative numbers are allowed.
 *
 * @param least Name of the smallest number.
 */
export const wholeNumber =
  (min: number, max: number, least: string = String(min)) =>
  (text: string): number => {
    const value = (min < 0 ? /^-?\d+$/ : /^\d+$/).test(text.trim()) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    throw new InvalidArgumentError(`It is not a whole number from ${least} to ${max}.`);
  };
