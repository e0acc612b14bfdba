import { WorkflowError } from '../errors/errors.ts';
import { optionInvalid } from './check-options.ts';

/** One moment on the clocks of a zone. A type and not an interface, so that it is assignable to `Json`. */
export type LocalDatetime = {
  /** The zone as requested. */
  readonly zone: string;
  /** ISO 8601 with the offset, for example `2026-11-20T15:04:05+09:00`. */
  readonly iso: string;
  /** `YYYY-MM-DD` */
  readonly date: string;
  /** `HH:MM:SS`, 24 hours. */
  readonly time: string;
  /** In English. */
  readonly weekday: string;
  /** Milliseconds since 1970. */
  readonly epochMs: number;
};

// Engines also accept offsets and ICU's own abbreviations, in which BST is Bangladesh. Only IANA names mean the same everywhere.
const notIana = /^[+-]|^(?!(?:UTC|GMT|UCT|EST|MST|HST|CET|MET|EET|WET|PRC|ROC|ROK)$)[a-z]{3}$/i;

/**
 * Local date and time in an IANA time zone, of a moment in milliseconds since 1970.
 *
 * @throws {WorkflowError} `TIME_ZONE_UNKNOWN`; `OPTION_INVALID` for a moment outside the range of dates, such as NaN.
 * @example localDatetime(0, 'Asia/Seoul').iso // '1970-01-01T09:00:00+09:00'
 */
export function localDatetime(epochMs: number, zone: string): LocalDatetime {
  if (Number.isNaN(new Date(epochMs).getTime())) {
    throw optionInvalid(`${epochMs} is not a point in time.`, 'Correct the clock.');
  }
  const parts = formatter(zone).formatToParts(epochMs);
  const part = (type: Intl.DateTimeFormatPartTypes): string => parts.find((candidate) => candidate.type === type)?.value ?? '';
  const offset = part('timeZoneName').slice('GMT'.length) || '+00:00';
  // zones of the nineteenth century have seconds in their offsets
  const [hours = 0, minutes = 0, seconds = 0] = offset.slice(1).split(':').map(Number);
  const offsetMs = ((hours * 60 + minutes) * 60 + seconds) * 1000 * (offset.startsWith('-') ? -1 : 1);
  const [date = '', clock = ''] = new Date(epochMs + offsetMs).toISOString().split('T');
  const time = clock.slice(0, 'HH:MM:SS'.length);
  return { zone, iso: `${date}T${time}${offset}`, date, time, weekday: part('weekday'), epochMs };
}

/** Time zone of the machine, an IANA name. `TZ` of the environment sets it. `UTC` if the system names none. */
export function machineTimeZone(): string {
  const zone: string | undefined = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  return zone === undefined || zone === 'Etc/Unknown' ? 'UTC' : zone; // both for a `TZ` that is no IANA name
}

/**
 * Returns an IANA time zone if it is valid.
 *
 * @param zone Default: the machine's time zone.
 * @throws {WorkflowError} `TIME_ZONE_UNKNOWN` if `zone` is not an IANA time zone.
 * @example checkTimeZone('Europe/Paris') // 'Europe/Paris'
 */
export function checkTimeZone(zone: string = machineTimeZone()): string {
  formatter(zone);
  return zone;
}

/** Part of a stored input: the time zone of the run. */
export type StoredTimeZone = {
  /** IANA name. Absent in runs of earlier versions, whose default was `Asia/Seoul`. */
  readonly timeZone?: string;
};

/**
 * Time zone of a stored run, so that the run shows the same time on every machine that resumes it.
 *
 * @example timeZoneOf({ input: 'What time is it?', timeZone: 'Europe/Paris' }) // 'Europe/Paris'
 */
export const timeZoneOf = ({ timeZone = 'Asia/Seoul' }: StoredTimeZone): string => timeZone;

/** Format of the last zone, because creating one takes longer than a run of rules. */
let last: { readonly zone: string; readonly format: Intl.DateTimeFormat } | undefined;

function formatter(zone: string): Intl.DateTimeFormat {
  if (last?.zone === zone) return last.format;
  try {
    if (!notIana.test(zone)) {
      last = { zone, format: new Intl.DateTimeFormat('en-US', { timeZone: zone, weekday: 'long', timeZoneName: 'longOffset' }) };
      return last.format;
    }
  } catch {
    // a RangeError that only repeats the name
  }
  throw new WorkflowError({
    code: 'TIME_ZONE_UNKNOWN',
    message: `"${zone}" is not a time zone.`,
    hint: 'Use an IANA name such as Asia/Seoul, Europe/Paris or UTC.',
  });
}

/**
 * The same in one line, for prompts.
 *
 * @param zone Default: the machine's time zone.
 * @throws {WorkflowError} `TIME_ZONE_UNKNOWN`.
 * @example describeDatetime(0, 'Asia/Seoul') // '1970-01-01 09:00:00 (Asia/Seoul)'
 */
export function describeDatetime(epochMs: number, zone: string = machineTimeZone()): string {
  const { date, time } = localDatetime(epochMs, zone);
  return `${date} ${time} (${zone})`;
}
