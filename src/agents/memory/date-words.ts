import { localDatetime } from '../../core/util/local-datetime.ts';

export interface DateWords {
  /** Date line, such as `[2026-03-02 Monday 09:15]`. */
  readonly line: string;
  /** Search words for the day, in English and Korean. */
  readonly words: string;
}

const months = 'January February March April May June July August September October November December'.split(' ');
const minuteMs = 60_000;
/** Cache of the last minute, because consecutive messages share it. */
let last: { readonly minute: number; readonly timeZone: string; readonly date: DateWords } | undefined;

/** Formats the date of a message. */
export function dateWords(at: number, timeZone: string): DateWords {
  const minute = Math.floor(at / minuteMs);
  if (last?.minute === minute && last.timeZone === timeZone) return last.date;
  const { date, time, weekday } = localDatetime(at, timeZone);
  const [year = '', month = '', day = ''] = date.split('-');
  const words = `${year} ${months[Number(month) - 1]} ${Number(day)} ${weekday} ${Number(month)}월 ${Number(day)}일`;
  last = { minute, timeZone, date: { line: `[${date} ${weekday} ${time.slice(0, 5)}]`, words } };
  return last.date;
}
