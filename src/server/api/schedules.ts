import type { Json, JsonObject } from '../../core/ports/json.ts';
import type { ScheduleInfo, ScheduleRun } from '../../engine/schedules/stored-schedules.ts';

/** A schedule to store. */
export interface AddSchedule {
  /** Unique on the server, `[A-Za-z0-9_-]{1,40}`. @default the workflow's id */
  readonly name?: string;
  /** Id of the workflow. */
  readonly workflow: string;
  readonly input: Json;
  /** Cron pattern with five fields, or six with the second in front. */
  readonly cron: string;
  /** IANA time zone of the fields. */
  readonly timeZone: string;
  /** Times without a worker to start later. @default 'once' */
  readonly missed?: 'skip' | 'once' | 'all';
  /** Times at which a run of the schedule has not ended. @default 'skip' */
  readonly overlap?: 'skip' | 'queue' | 'replace' | 'allow';
  /** Maximum delay of a start, in milliseconds. @default 0 */
  readonly jitterMs?: number;
  /** Settings of the workflow, such as the document to ask about. */
  readonly settings?: JsonObject;
}

export interface ScheduleList {
  /** By name. */
  readonly schedules: readonly ScheduleInfo[];
}

export interface BackfillSchedule {
  /** First time of the interval, in milliseconds since 1970. */
  readonly fromMs: number;
  /** End of the interval, which is not part of it. */
  readonly toMs: number;
  /** Only lists the times. @default false */
  readonly dryRun?: boolean;
}

export interface BackfilledRuns {
  readonly runs: readonly (ScheduleRun & { readonly dueMs: number })[];
}

export type { ScheduleInfo, ScheduleRun };
