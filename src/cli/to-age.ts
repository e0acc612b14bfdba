import { InvalidArgumentError } from 'commander';
import { parseAge } from '../core/util/age.ts';

/** Parses `30d` to milliseconds. */
export function toAge(text: string): number {
  const age = parseAge(text.trim());
  if (age !== undefined) return age;
  throw new InvalidArgumentError('Use a whole number and a unit: 30d, 12h, 90m or 45s.');
}
