import { hash } from '../../core/util/hash.ts';
import type { ScheduleRecord } from './schedule-record.ts';
import type { ScheduleTimes } from './scheduled-run.ts';

/** Maximum number of times that are started after an outage, or wait for a run. */
const maxWaiting = 100;
/** Number of times computed per step back. */
const timesPerPage = 20;
/** Delay after which a time counts as missed, in milliseconds. */
const graceMs = 60_000;

export interface DecidingAt {
  readonly now: number;
  readonly times: ScheduleTimes;
  /** True for a run that has not ended. */
  readonly isActive: (runId: string) => boolean;
}

/** Moment at which the run of a time starts, in milliseconds since 1970. It is the same in every process. */
const startOf = ({ name, jitterMs }: Pick<ScheduleRecord, 'name' | 'jitterMs'>, dueMs: number): number =>
  jitterMs === 0 ? dueMs : dueMs + (Number.parseInt(hash(`${name} ${dueMs}`).slice(6), 16) % jitterMs);

/** Returns when a worker has to look at a schedule next. `undefined` if no time is left. */
export function nextStart(record: ScheduleRecord, times: ScheduleTimes): number | undefined {
  const next = record.paused ? undefined : times.next(record.decidedMs);
  return next === undefined ? undefined : startOf(record, next);
}

/**
 * Decides the due times of a schedule, and opens the next start. The work depends neither on the length of an outage nor on the number of
 * runs.
 *
 * @returns the same record if nothing changes.
 */
export function decideTimes(record: ScheduleRecord, at: DecidingAt): ScheduleRecord {
  if (record.paused || record.opened) return record;
  return openNext(withDue(record, at), at);
}

function withDue(record: ScheduleRecord, { now, times }: DecidingAt): ScheduleRecord {
  const due = dueTimes(record, now, times);
  const newest = due.at(-1);
  if (newest === undefined) return record;
  const all = [...record.waiting, ...withoutMissed(record, due, now)];
  const waiting = all.slice(0, maxWaiting);
  return { ...record, decidedMs: newest, waiting, skipped: record.skipped + all.length - waiting.length };
}

/** Due times that are not decided, oldest first. Of more than `missed` needs, only the newest. */
function dueTimes(record: ScheduleRecord, now: number, times: ScheduleTimes): readonly number[] {
  const first = times.next(record.decidedMs);
  if (first === undefined || startOf(record, first) > now) return [];
  const wanted = record.missed === 'all' ? maxWaiting : 1;
  const found: number[] = [];
  for (let beforeMs = now + 1_000; ; ) {
    const page = times.previous(beforeMs, wanted === 1 && record.jitterMs === 0 ? 2 : timesPerPage);
    const inside = page.filter((dueMs) => dueMs > record.decidedMs);
    found.push(...inside.filter((dueMs) => startOf(record, dueMs) <= now));
    const last = inside.at(-1);
    if (found.length >= wanted || last === undefined || inside.length < page.length) break;
    beforeMs = last;
  }
  return found.slice(0, wanted).reverse();
}

function withoutMissed(record: ScheduleRecord, due: readonly number[], now: number): readonly number[] {
  return record.missed === 'skip' ? due.filter((dueMs) => now - startOf(record, dueMs) <= graceMs) : due;
}

function openNext(record: ScheduleRecord, { isActive }: DecidingAt): ScheduleRecord {
  const { waiting, overlap, skipped } = record;
  const [oldest] = waiting;
  const newest = waiting.at(-1);
  if (oldest === undefined || newest === undefined) return record;
  const active = record.active.filter(isActive);
  if (overlap === 'replace') {
    const opened = { dueMs: newest, replaces: active };
    return { ...record, active, opened, waiting: [], skipped: skipped + waiting.length - 1 };
  }
  if (overlap === 'allow' || active.length === 0)
    return { ...record, active, opened: { dueMs: oldest, replaces: [] }, waiting: waiting.slice(1) };
  return overlap === 'skip' ? { ...record, active, waiting: [], skipped: skipped + waiting.length } : record;
}
