import type { Language } from './words.ts';

const locales: Readonly<Record<Language, string>> = { en: 'en-GB', ko: 'ko-KR' };

/** Formats a duration: `4 ms`, `0.52 s`, `12 s`, `3 min`. */
export function duration(ms: number): string {
  if (ms < 1) return ms <= 0 ? '0 ms' : '<1 ms';
  if (ms < 500) return `${Math.round(ms)} ms`;
  if (ms < 10_000) return `${(ms / 1_000).toFixed(2)} s`;
  return ms < 120_000 ? `${Math.round(ms / 1_000)} s` : `${Math.round(ms / 60_000)} min`;
}

/** Formats the time since the start: `+2.27 s`. */
export const sinceStart = (ms: number): string => `+${duration(Math.max(0, ms))}`;

/** Formats running seconds: `3.4 s`. */
export const counted = (ms: number): string =>
  ms < 60_000 ? `${(Math.max(0, ms) / 1_000).toFixed(1)} s` : `${Math.floor(ms / 60_000)} min ${Math.floor((ms % 60_000) / 1_000)} s`;

/** Formats a time: `13:02`. */
export const clockTime = (at: number, language: Language): string =>
  new Intl.DateTimeFormat(locales[language], { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }).format(at);

/** Formats a time with milliseconds: `11:17:04.218`. */
export const exactTime = (at: number): string => {
  const date = new Date(at);
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}.${String(date.getMilliseconds()).padStart(3, '0')}`;
};

/** Formats a date: `3 Nov`. */
export const day = (at: number, language: Language): string =>
  new Intl.DateTimeFormat(locales[language], { day: 'numeric', month: 'short' }).format(at);

/** Number of days ago, by this machine's calendar. */
export function daysAgo(at: number, now: number): number {
  const midnight = (time: number): number => new Date(time).setHours(0, 0, 0, 0);
  return Math.round((midnight(now) - midnight(at)) / 86_400_000);
}

/** Formats a workflow id as users type it: `plan-execute`. */
export const workflowName = (id: string): string => id.replaceAll('_', '-');

/** Shortens a long id of the server; the first 14 characters are enough to distinguish ids. */
export const shortId = (id: string): string => (id.length > 18 ? `${id.slice(0, 14)}…` : id);
