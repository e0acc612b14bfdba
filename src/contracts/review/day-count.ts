import { comparableKey, contractValues } from '../compare/contract-values.ts';

/** A period of a contract. Weeks are days, and years are months. */
export interface Period {
  readonly count: number;
  readonly unit: 'day' | 'business day' | 'month' | 'hour';
}

export interface DayCountOptions {
  /**
   * Rule for months. `ko`: Civil Code of Korea, article 160: the first day does not count, and a period that begins on the first of a month
   * ends with a month. `en`: the day with the same number.
   */
  readonly law: 'en' | 'ko';
  /** ISO dates that are no business days. Saturdays and Sundays never are. */
  readonly holidays?: ReadonlySet<string>;
}

/** Returns the first period of a text. */
export function readPeriod(text: string): Period | undefined {
  const value = contractValues(text).find(({ type }) => type === 'period');
  const [, count = '', unit = ''] = /^([\d.]+) (day|business day|month|hour)$/.exec(value ? comparableKey(value) : '') ?? [];
  if (unit !== 'day' && unit !== 'business day' && unit !== 'month' && unit !== 'hour') return undefined;
  return Number.isInteger(Number(count)) && Number(count) <= 9_999 ? { count: Number(count), unit } : undefined;
}

/** Returns the last day of a period after a day, which itself does not count. `undefined` for hours. */
export function dayAfter(from: string, { count, unit }: Period, options: DayCountOptions): string | undefined {
  if (unit === 'hour') return undefined;
  if (unit === 'business day') return addBusinessDays(from, count, options);
  if (unit === 'day') return addDays(from, count);
  return options.law === 'ko' ? monthsAfterInKorea(from, count) : addMonths(from, count);
}

/** Returns the day that is a period before a day. */
export function dayBefore(from: string, { count, unit }: Period, options: DayCountOptions): string | undefined {
  if (unit === 'hour') return undefined;
  if (unit === 'business day') return addBusinessDays(from, -count, options);
  return unit === 'day' ? addDays(from, -count) : addMonths(from, -count);
}

/** Returns the last day of a term that begins on a day, which counts. */
export function lastDayOf(start: string, { count, unit }: Period): string | undefined {
  if (unit === 'hour' || unit === 'business day') return undefined;
  if (unit === 'day') return addDays(start, count - 1);
  const next = addMonths(start, count);
  // from January 30 for a month: February has no 30th, so it ends with February
  return Number(next.slice(8)) < Number(start.slice(8)) ? next : addDays(next, -1);
}

export const isWeekend = (date: string): boolean => [0, 6].includes(atNoon(date).getUTCDay());

export function addDays(date: string, days: number): string {
  const moved = atNoon(date);
  moved.setUTCDate(moved.getUTCDate() + days);
  return moved.toISOString().slice(0, 10);
}

/** Returns the next day that is neither Saturday, Sunday nor holiday. */
export function nextBusinessDay(date: string, holidays: ReadonlySet<string> = new Set()): string {
  let day = date;
  while (isWeekend(day) || holidays.has(day)) day = addDays(day, 1);
  return day;
}

const atNoon = (date: string): Date => new Date(`${date}T12:00:00Z`);

function addBusinessDays(from: string, count: number, { holidays = new Set() }: DayCountOptions): string {
  const step = Math.sign(count);
  let day = from;
  for (let left = Math.abs(count); left > 0; ) {
    day = addDays(day, step);
    if (!isWeekend(day) && !holidays.has(day)) left -= 1;
  }
  return day;
}

/** A month without that day ends with its last one. */
function addMonths(date: string, months: number): string {
  const [year = 0, month = 1, day = 1] = date.split('-').map(Number);
  const last = new Date(Date.UTC(year, month - 1 + months + 1, 0, 12));
  return new Date(Date.UTC(year, month - 1 + months, Math.min(day, last.getUTCDate()), 12)).toISOString().slice(0, 10);
}

const monthsAfterInKorea = (from: string, months: number): string | undefined =>
  lastDayOf(addDays(from, 1), { count: months, unit: 'month' });
