/** A day of the Gregorian calendar. */
export interface Day {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

export const isLeapYear = (year: number): boolean => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;

export const daysInMonth = (year: number, month: number): number =>
  month === 2 ? (isLeapYear(year) ? 29 : 28) : [4, 6, 9, 11].includes(month) ? 30 : 31;

/** True for an existing day between the years 1 and 9999. */
export const isDay = ({ year, month, day }: Day): boolean =>
  [year, month, day].every(Number.isInteger) &&
  year >= 1 &&
  year <= 9999 &&
  month >= 1 &&
  month <= 12 &&
  day >= 1 &&
  day <= daysInMonth(year, month);

/** Returns the days since 1970-01-01. Its years start in March, so a leap day is the last day of its year. */
export function toDayNumber({ year, month, day }: Day): number {
  const marchYear = month > 2 ? year : year - 1;
  const dayOfYear = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + day - 1;
  return marchYear * 365 + Math.floor(marchYear / 4) - Math.floor(marchYear / 100) + Math.floor(marchYear / 400) + dayOfYear - 719_468;
}

export function fromDayNumber(number: number): Day {
  const shifted = number + 719_468;
  const era = Math.floor(shifted / 146_097);
  const ofEra = shifted - era * 146_097;
  const yearOfEra = Math.floor((ofEra - Math.floor(ofEra / 1460) + Math.floor(ofEra / 36_524) - Math.floor(ofEra / 146_096)) / 365);
  const dayOfYear = ofEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const shiftedMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9;
  const day = dayOfYear - Math.floor((153 * shiftedMonth + 2) / 5) + 1;
  return { year: era * 400 + yearOfEra + (month <= 2 ? 1 : 0), month, day };
}

/** Returns the weekday; 0 is Monday. */
export const weekdayOf = (day: Day): number => (((toDayNumber(day) + 3) % 7) + 7) % 7;

export const addDays = (day: Day, days: number): Day => fromDayNumber(toDayNumber(day) + days);

/** Returns the same day of another month, or that month's last day if it is shorter. */
export function addMonths({ year, month, day }: Day, months: number): Day {
  const index = year * 12 + month - 1 + months;
  const target = { year: Math.floor(index / 12), month: (((index % 12) + 12) % 12) + 1 };
  return { ...target, day: Math.min(day, daysInMonth(target.year, target.month)) };
}

export const daysBetween = (from: Day, to: Day): number => toDayNumber(to) - toDayNumber(from);

/** @example isoDay({ year: 2026, month: 3, day: 1 }) // '2026-03-01' */
export const isoDay = ({ year, month, day }: Day): string =>
  `${String(year).padStart(4, '0')}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`;

export const weekdayNames = {
  ko: ['월요일', '화요일', '수요일', '목요일', '금요일', '토요일', '일요일'],
  en: ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'],
} as const;

/** @example describeDay({ year: 2026, month: 3, day: 1 }, false) // 'Sunday, 2026-03-01' */
export const describeDay = (day: Day, korean: boolean): string =>
  korean ? `${isoDay(day)} ${weekdayNames.ko[weekdayOf(day)]}` : `${weekdayNames.en[weekdayOf(day)]}, ${isoDay(day)}`;
