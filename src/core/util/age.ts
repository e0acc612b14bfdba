const units: Readonly<Record<string, number>> = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000 };

/** Text of an age: a whole number and a unit. */
export const agePattern: RegExp = /^(\d{1,6})([dhms])$/;

/** Parses `30d` to milliseconds; `undefined` for any other text. */
export function parseAge(text: string): number | undefined {
  const [, digits = '', unit = ''] = agePattern.exec(text) ?? [];
  const factor = units[unit];
  return factor === undefined ? undefined : Number(digits) * factor;
}
