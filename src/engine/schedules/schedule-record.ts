import type { ErrorInfo } from '../../core/ports/error-info.ts';
import type { Json, JsonObject } from '../../core/ports/json.ts';
import { isObject } from '../../core/util/is-object.ts';

/** Names of the notes with schedules. */
export const schedulePrefix = 'schedule ';

export const scheduleNote = (name: string): string => `${schedulePrefix}${name}`;

/** Rules of a stored schedule, which never change. */
export interface ScheduleRules {
  readonly name: string;
  /** Id of the workflow. */
  readonly workflow: string;
  readonly input: Json;
  /** Metadata of each run. */
  readonly metadata?: JsonObject;
  readonly cron: string;
  readonly timeZone: string;
  readonly missed: 'skip' | 'once' | 'all';
  readonly overlap: 'skip' | 'queue' | 'replace' | 'allow';
  readonly jitterMs: number;
}

/** Start of a run that one worker has decided. Any worker completes it. */
export interface OpenStart {
  readonly dueMs: number;
  /** Runs to cancel first. */
  readonly replaces: readonly string[];
}

/** A schedule as its note stores it. */
export interface ScheduleRecord extends ScheduleRules {
  readonly kind: 'stored';
  /** Differs from that of a removed schedule with the same name. */
  readonly id: string;
  readonly addedAt: number;
  readonly paused: boolean;
  /** Every time up to this one has been decided: started, waiting, skipped or missed. */
  readonly decidedMs: number;
  /** Times that wait for the run before them, oldest first. */
  readonly waiting: readonly number[];
  readonly opened?: OpenStart;
  /** Started runs that may not have ended. Empty when runs may overlap. */
  readonly active: readonly string[];
  readonly last?: { readonly dueMs: number; readonly runId: string; readonly error?: ErrorInfo };
  readonly started: number;
  readonly skipped: number;
}

/** A schedule of a program's code, published by its worker. */
export interface DeclaredRecord {
  readonly kind: 'declared';
  readonly name: string;
  readonly workflow: string;
  readonly missed: 'skip' | 'once' | 'all';
  readonly cron?: string;
  readonly timeZone?: string;
  readonly lastMs?: number;
  readonly nextMs?: number;
  /** Time of the publication. Without another one, the program has ended or no longer has the schedule. */
  readonly at: number;
}

/** Interval between two publications of a declared schedule, and the age from which one no longer counts, in milliseconds. */
export const publishMs = 60_000;
const staleMs = 3 * publishMs;

export const isFresh = ({ at }: DeclaredRecord, now: number): boolean => Math.abs(now - at) < staleMs;

/** Reads a note. `undefined` for a missing, damaged or newer one. */
export function readSchedule(text: string | undefined): ScheduleRecord | DeclaredRecord | undefined {
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    if (isStored(value) || isDeclared(value)) return value;
  } catch {
    // not JSON
  }
  return undefined;
}

export const writeSchedule = (record: ScheduleRecord | DeclaredRecord): string => JSON.stringify(record);

const isText = (value: unknown): boolean => typeof value === 'string';
const isList = (value: unknown, type: 'string' | 'number'): boolean => Array.isArray(value) && value.every((one) => typeof one === type);

const isStored = (value: unknown): value is ScheduleRecord =>
  isObject(value) &&
  value.kind === 'stored' &&
  [value.name, value.workflow, value.cron, value.timeZone, value.missed, value.overlap, value.id].every(isText) &&
  [value.jitterMs, value.addedAt, value.decidedMs, value.started, value.skipped].every(Number.isFinite) &&
  isList(value.waiting, 'number') &&
  isList(value.active, 'string');

const isDeclared = (value: unknown): value is DeclaredRecord =>
  isObject(value) && value.kind === 'declared' && [value.name, value.workflow, value.missed].every(isText) && Number.isFinite(value.at);

/** Removes the open start of a time, once its run is in the store or cannot be started. */
export function closeStart(
  record: ScheduleRecord,
  { dueMs, runId, error }: { readonly dueMs: number; readonly runId: string; readonly error?: ErrorInfo },
): ScheduleRecord {
  const { opened, ...rest } = record;
  if (opened?.dueMs !== dueMs) return record; // another worker has closed it
  const { overlap, active: before, started } = record;
  const active = overlap === 'allow' ? [] : before.filter((one) => !opened.replaces.includes(one));
  if (error) return { ...rest, active, last: { dueMs, runId, error } };
  return { ...rest, active: overlap === 'allow' ? [] : [...active, runId], last: { dueMs, runId }, started: started + 1 };
}
