import type { ContractReview, ReviewLanguage } from './contract-review.ts';
import { addDays } from './day-count.ts';

export interface ToCalendarOptions {
  /** Time of creation, which RFC 5545 requires. */
  readonly now: Date;
  /** Days before each date on which the calendar reminds. Default: no reminder. */
  readonly remindDays?: number;
}

interface CalendarEvent {
  readonly date: string;
  readonly summary: string;
  readonly description: string;
}

const maxOctets = 75;

/**
 * Writes the dates of a review as a calendar file (RFC 5545, `text/calendar`): one all-day event for the start and end of the term and for
 * each deadline with a date. An event's id depends only on the document, the date and the words, so a second import changes nothing.
 * `undefined` for a review without dates: RFC 5545 allows no empty calendar.
 *
 * @example toCalendar(reviewContract(lease), { now: new Date() }) // BEGIN:VCALENDAR …
 */
export function toCalendar(review: ContractReview, { now, remindDays }: ToCalendarOptions): string | undefined {
  const stamp = now.toISOString().replace(/[-:]|\.\d{3}/g, '');
  const events = eventsOf(review).flatMap((event) => [
    'BEGIN:VEVENT',
    `UID:${idOf(review.document, event)}`,
    `DTSTAMP:${stamp}`,
    `DTSTART;VALUE=DATE:${compact(event.date)}`,
    `DTEND;VALUE=DATE:${compact(addDays(event.date, 1))}`,
    `SUMMARY:${escaped(event.summary)}`,
    `DESCRIPTION:${escaped(event.description)}`,
    'TRANSP:TRANSPARENT',
    ...(remindDays === undefined
      ? []
      : [
          'BEGIN:VALARM',
          'ACTION:DISPLAY',
          `DESCRIPTION:${escaped(event.summary)}`,
          `TRIGGER:-P${Math.max(0, Math.trunc(remindDays))}D`,
          'END:VALARM',
        ]),
    'END:VEVENT',
  ]);
  if (events.length === 0) return undefined;
  const lines = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//agent-machines//contract review//EN',
    'CALSCALE:GREGORIAN',
    ...events,
    'END:VCALENDAR',
  ];
  return lines.map((line) => `${folded(line)}\r\n`).join('');
}

const words: Readonly<Record<ReviewLanguage, { readonly start: string; readonly end: string }>> = {
  en: { start: 'Start of the term', end: 'End of the term' },
  ko: { start: '계약기간 시작', end: '계약기간 만료' },
};

function eventsOf({ title, language, term, deadlines }: ContractReview): readonly CalendarEvent[] {
  const { start, end, rule, passage } = term;
  const about = [passage?.label, passage?.text, rule].filter(Boolean).join('\n');
  const named = (date: string | undefined, what: string): readonly CalendarEvent[] =>
    date === undefined ? [] : [{ date, summary: `${title}: ${what}`, description: about }];
  const events = [
    ...named(start, words[language].start),
    ...named(end, words[language].end),
    ...deadlines.flatMap(({ date, who, what, passage, rule, note }) => {
      const description = [passage.label, passage.text, rule, note].filter(Boolean).join('\n');
      return date === undefined ? [] : [{ date, summary: `${title}: ${who === undefined ? '' : `${who} – `}${what}`, description }];
    }),
  ];
  const unique = new Map(events.map((event) => [`${event.date} ${event.summary} ${event.description}`, event]));
  return [...unique.values()].sort((a, b) => (a.date < b.date ? -1 : a.date > b.date ? 1 : 0));
}

const compact = (date: string): string => date.replaceAll('-', '');

/** RFC 5545, 3.3.11. Control characters are not allowed in texts. */
const escaped = (text: string): string =>
  text
    .replace(/[\\;,]/g, (character) => `\\${character}`)
    .replace(/\r\n?|\n/g, '\\n')
    .replace(/(?!\t)\p{Cc}/gu, ' ');

/** RFC 5545, 3.1: lines of at most 75 octets, never cut within a character. */
function folded(line: string): string {
  const lines: string[] = [];
  let [current, size] = ['', 0];
  for (const character of line) {
    const octets = new TextEncoder().encode(character).length;
    if (size + octets > maxOctets) {
      lines.push(current);
      [current, size] = [' ', 1];
    }
    current += character;
    size += octets;
  }
  return [...lines, current].join('\r\n');
}

/** FNV-1a, twice with different starts: an id needs to be stable and different, not secret. */
function idOf(document: string, { date, summary, description }: CalendarEvent): string {
  const text = [document, date, summary, description].join('\n');
  const hash = (start: number): string => {
    let value = start;
    for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193) >>> 0;
    return value.toString(16).padStart(8, '0');
  };
  return `${compact(date)}-${hash(0x811c9dc5)}${hash(0x9e3779b9)}@agent-machines`;
}
