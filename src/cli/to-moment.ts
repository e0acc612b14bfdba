import { InvalidArgumentError } from 'commander';

/** Parses a date in UTC, or a time with its offset, to milliseconds since 1970. */
export function toMoment(text: string): number {
  const isMoment = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d))?$/.test(text.trim());
  const ms = isMoment ? Date.parse(text.trim()) : Number.NaN;
  if (!Number.isNaN(ms)) return ms;
  throw new InvalidArgumentError('Use a date, 2026-03-01, or a time with its offset: 2026-03-01T09:00Z, 2026-03-01T09:00+09:00.');
}
