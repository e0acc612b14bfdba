import { localDatetime } from '../../core/util/local-datetime.ts';
import type { Day } from './calendar.ts';

/** The current moment of a run. */
export interface Now {
  readonly day: Day;
  /** IANA name of the time zone. */
  readonly zone: string;
  /** Milliseconds since 1970. */
  readonly epochMs: number;
}

/** Parses the output of `describeDatetime`. Returns `undefined` for other text. */
export function parseNow(text: string): Now | undefined {
  const found = /^(\d{4})-(\d\d)-(\d\d) (\d\d):(\d\d):(\d\d) \(([\w/+-]+)\)$/.exec(text);
  if (!found) return undefined;
  const [year = 0, month = 0, day = 0, hours = 0, minutes = 0, seconds = 0] = found.slice(1, 7).map(Number);
  const zone = found[7] ?? '';
  const asUtc = Date.UTC(year, month - 1, day, hours, minutes, seconds);
  // applied twice, because the first guess may have another offset
  const first = asUtc - offsetMs(asUtc, zone);
  return { day: { year, month, day }, zone, epochMs: asUtc - offsetMs(first, zone) };
}

function offsetMs(epochMs: number, zone: string): number {
  const { date, time } = localDatetime(epochMs, zone);
  return Date.parse(`${date}T${time}Z`) - Math.floor(epochMs / 1000) * 1000;
}
