import { InvalidArgumentError } from 'commander';

const units: Readonly<Record<string, number>> = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000 };

/** Parses `30d` to milliseconds. */
export function toAge(text: string): number {
  const [, digits = '', unit = ''] = /^(\d{1,6})([dhms])$/.exec(text.trim()) ?? [];
  const factor = units[unit];
  if (factor !== undefined) return Number(digits) * factor;
  throw new InvalidArgumentError('Use a whole number and a unit: 30d, 12h, 90m or 45s.');
}
