import { InvalidArgumentError } from 'commander';

/**
 * Reads the number of a flag, as digits: `1e3`, `0x10` and what has a sign are none.
 *
 * @param least How the smallest one is called.
 */
export const wholeNumber =
  (min: number, max: number, least: string = String(min)) =>
  (text: string): number => {
    const value = /^\d+$/.test(text.trim()) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    throw new InvalidArgumentError(`It is not a whole number from ${least} to ${max}.`);
  };
