import type { Actor } from '../../core/ports/actor.ts';
import type { ErrorInfo } from '../../core/ports/error-info.ts';
import type { Json, JsonObject } from '../../core/ports/json.ts';
import { canonicalJson } from '../../core/util/canonical-json.ts';
import { checkOptions, flag, object, oneOf, optionInvalid, required, text } from '../../core/util/check-options.ts';
import { newId } from '../../core/util/ids.ts';
import { sha256 } from '../../core/util/sha256.ts';
import { toJson } from '../../core/util/to-json.ts';
import type { AnyWorkflow } from '../define/define-workflow.ts';
import { audited, type LoggedAction } from '../run/audit-log.ts';
import { actorOf, coreOf } from '../run/create-runtime.ts';
import type { Runtime } from '../run/runtime.ts';
import type { RuntimeCore } from '../run/runtime-core.ts';
import { clockReady } from '../run/store-clock.ts';
import { backfillTimes } from './backfill-times.ts';
import { checkJitter } from './check-jitter.ts';
import { cronTimes } from './cron-times.ts';
import { nextStart } from './decide-times.ts';
import { scheduleDeclared, scheduleExists, scheduleUnknown } from './schedule-errors.ts';
import { type AnySchedule, type ScheduleNotes, scheduleNotesOf } from './schedule-notes.ts';
import { isFresh, type ScheduleRecord, type ScheduleRules } from './schedule-record.ts';
import { assertScheduleName, scheduledRunId } from './scheduled-run.ts';
import { startScheduled } from './start-scheduled.ts';

/** A schedule to store. */
export interface NewSchedule {
  /** Unique in the store, `[A-Za-z0-9_-]{1,40}`. The ids of its runs contain it. @default the workflow's id */
  readonly name?: string;
  /** Workflow, or the id of one that the runtime has. */
  readonly workflow: AnyWorkflow | string;
  /** Input of each run, at most 64 KiB of JSON. It must not contain secrets. @default null */
  readonly input?: unknown;
  /** Cron pattern with five fields (minute, hour, day, month, day of the week), or six with the second in front. @example '0 9 * * 1-5' */
  readonly cron: string;
  /** IANA time zone of the fields, such as `Asia/Seoul`. */
  readonly timeZone: string;
  /** Times at which no worker was running: start none, the last one, or the last 100. @default 'once' */
  readonly missed?: 'skip' | 'once' | 'all';
  /**
   * Times at which a run of the schedule has not ended: `skip` starts none, `queue` lets 100 times at most wait for the run before them,
   * `replace` cancels that run, and `allow` starts another one beside it.
   * @default 'skip'
   */
  readonly overlap?: 'skip' | 'queue' | 'replace' | 'allow';
  /**
   * Maximum delay of a start, in milliseconds, at most an hour and shorter than the interval of the times. The delay of a time follows from
   * the name and the time. @default 0
   */
  readonly jitterMs?: number;
  /** Metadata stored with each run. It must not contain secrets. */
  readonly metadata?: JsonObject;
}

/** A schedule of a store. Times are milliseconds since 1970. */
export interface ScheduleInfo {
  readonly name: string;
  /** Id of the workflow. */
  readonly workflow: string;
  /** `declared`: it belongs to the code of a worker, which has shown it in the last 3 minutes. */
  readonly status: 'active' | 'paused' | 'declared';
  readonly missed: 'skip' | 'once' | 'all';
  /** Last scheduled time that a run was started for. */
  readonly lastMs?: number;
  readonly lastRunId?: string;
  /** Error that prevented the last start. */
  readonly lastError?: ErrorInfo;
  /** Next start, with its jitter. Absent for a paused schedule. */
  readonly nextMs?: number;
  readonly cron?: string;
  readonly timeZone?: string;
  /** Absent for a declared schedule, like all of the following. */
  readonly overlap?: 'skip' | 'queue' | 'replace' | 'allow';
  readonly jitterMs?: number;
  readonly input?: Json;
  readonly metadata?: JsonObject;
  readonly addedAt?: number;
  /** Times that wait for the run before them, oldest first. */
  readonly waiting?: readonly number[];
  /** Number of runs that were started by time. */
  readonly started?: number;
  /** Number of times that were skipped because a run had not ended. */
  readonly skipped?: number;
}

/** A run of a schedule that was started by request. */
export interface ScheduleRun {
  readonly runId: string;
  /** False if the run existed before. */
  readonly isNew: boolean;
}

export interface BackfillOptions {
  /** First time of the interval, in milliseconds since 1970. */
  readonly fromMs: number;
  /** End of the interval; a time at this moment is not part of it. */
  readonly toMs: number;
  /** Only lists the times. @default false */
  readonly dryRun?: boolean;
}

/** Schedules that a store keeps. Workers of the store start their runs. */
export interface StoredSchedules {
  /**
   * Adds a schedule, which begins with its next time. The same schedule again changes nothing.
   * @throws {WorkflowError} `SCHEDULE_EXISTS`, `SCHEDULE_DECLARED`, `WORKFLOW_UNKNOWN`, `TIME_ZONE_UNKNOWN`, `OPTION_INVALID`, and the
   * errors of the workflow's input. Nothing is written then.
   */
  add(schedule: NewSchedule): Promise<ScheduleInfo>;
  /** Lists all schedules by name, also those of code that a worker has. */
  list(): Promise<readonly ScheduleInfo[]>;
  /** @throws {WorkflowError} `SCHEDULE_UNKNOWN`. */
  get(name: string): Promise<ScheduleInfo>;
  /** Stops starting runs. Runs that were started continue. @throws {WorkflowError} `SCHEDULE_UNKNOWN`, `SCHEDULE_DECLARED`. */
  pause(name: string): Promise<ScheduleInfo>;
  /**
   * Ends a pause. Times of the pause are dropped, except with `missed: 'all'`.
   * @throws {WorkflowError} `SCHEDULE_UNKNOWN`, `SCHEDULE_DECLARED`.
   */
  resume(name: string): Promise<ScheduleInfo>;
  /**
   * Starts a run now, also during a pause and beside other runs. A repeated key returns the same run.
   * @throws {WorkflowError} `SCHEDULE_UNKNOWN`, `SCHEDULE_DECLARED`, `WORKFLOW_UNKNOWN`, and the errors of the workflow's input.
   */
  trigger(name: string, options?: { readonly key?: string }): Promise<ScheduleRun>;
  /**
   * Starts the times of a past interval, at most 1,000, beside other runs. A time whose run exists is not started again.
   * @throws {WorkflowError} as `trigger`; `OPTION_INVALID` for an interval that is too long or not over.
   */
  backfill(name: string, options: BackfillOptions): Promise<readonly (ScheduleRun & { readonly dueMs: number })[]>;
  /** Removes a schedule. Its runs stay. @throws {WorkflowError} `SCHEDULE_UNKNOWN`, `SCHEDULE_DECLARED`. */
  remove(name: string): Promise<void>;
}

const maxSchedules = 1_000;
const maxInputBytes = 65_536;

/**
 * Returns the schedules that the store of a runtime keeps. Any process may change them. The changes of a runtime of `as` are recorded.
 *
 * @throws {WorkflowError} `OPTION_INVALID` for a store without notes, such as Restate.
 * @example await storedSchedules(runtime).add({ workflow: 'report', input: {}, cron: '0 9 * * 1-5', timeZone: 'Asia/Seoul' });
 */
export function storedSchedules(runtime: Runtime): StoredSchedules {
  const core = coreOf(runtime);
  if (!core) throw optionInvalid('The value is not a runtime.', 'Pass the runtime that createRuntime has returned.');
  return new StoreSchedules(core, scheduleNotesOf(core.store.storage), () => actorOf(runtime));
}

const newSchedule = {
  name: text,
  workflow: required({ what: 'a workflow or its id', is: (value: unknown) => text.is(value) || object.is(value) }),
  input: { what: 'any value', is: () => true },
  cron: required(text),
  timeZone: required(text),
  missed: oneOf('skip', 'once', 'all'),
  overlap: oneOf('skip', 'queue', 'replace', 'allow'),
  jitterMs: {
    what: 'a whole number from 0 to 3,600,000',
    is: (value: unknown) => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 3_600_000,
  },
  metadata: object,
};
const time = {
  what: 'a time in milliseconds since 1970',
  is: (value: unknown) => Number.isInteger(value) && Math.abs(Number(value)) <= 8.64e15,
};
const backfillOptions = { fromMs: required(time), toMs: required(time), dryRun: flag };
const key = {
  what: 'a text of 1 to 200 characters',
  is: (value: unknown) => typeof value === 'string' && value !== '' && value.length <= 200,
};

class StoreSchedules implements StoredSchedules {
  readonly #core: RuntimeCore;
  readonly #notes: ScheduleNotes;

  readonly #actor: () => Actor | undefined;

  constructor(core: RuntimeCore, notes: ScheduleNotes, actor: () => Actor | undefined) {
    this.#core = core;
    this.#notes = notes;
    this.#actor = actor;
  }

  async add(given: NewSchedule): Promise<ScheduleInfo> {
    const rules = await this.#toRules(given);
    const { name } = rules;
    const now = await this.#now();
    const others = (await this.#notes.all()).filter((one) => one.name !== name);
    if (others.length >= maxSchedules) throw optionInvalid(`The store has ${maxSchedules} schedules already.`, 'Remove one of them first.');
    const counts = { waiting: [], active: [], started: 0, skipped: 0 };
    const record: ScheduleRecord = { ...rules, kind: 'stored', id: newId('s'), addedAt: now, paused: false, decidedMs: now, ...counts };
    const added = await this.#audited('add', name, () =>
      this.#notes.change(name, (found, isTaken) => {
        if (found?.kind === 'declared' && isFresh(found, now)) throw scheduleDeclared(name);
        if (found?.kind === 'stored' && isSame(found, rules)) return 'keep';
        if (isTaken && found?.kind !== 'declared') throw scheduleExists(name);
        return record;
      }),
    );
    return toInfo(added ?? record, now);
  }

  async list(): Promise<readonly ScheduleInfo[]> {
    const now = await this.#now();
    return (await this.#notes.all()).flatMap((one) => (one.kind === 'stored' || isFresh(one, now) ? [toInfo(one, now)] : []));
  }

  async get(name: string): Promise<ScheduleInfo> {
    assertScheduleName(name);
    const found = (await this.list()).find((one) => one.name === name);
    if (found) return found;
    throw scheduleUnknown(name);
  }

  pause(name: string): Promise<ScheduleInfo> {
    return this.#change('pause', name, (record) => ({ ...record, paused: true }));
  }

  resume(name: string): Promise<ScheduleInfo> {
    return this.#change('resume', name, (record, now) => {
      if (!record.paused) return record;
      const decidedMs = record.missed === 'all' ? record.decidedMs : Math.max(record.decidedMs, now);
      return { ...record, paused: false, decidedMs };
    });
  }

  async trigger(name: string, options: { readonly key?: string } = {}): Promise<ScheduleRun> {
    checkOptions('trigger', options, { key });
    const record = await this.#stored(name);
    const runId = options.key === undefined ? newId(`${name}_t`) : `${name}_k_${(await sha256(options.key)).slice(0, 20)}`;
    const isNew = await this.#audited('trigger', name, () => startScheduled(this.#core, record, runId, this.#actor()));
    if (isNew) await this.#count(record, [runId]);
    return { runId, isNew };
  }

  async backfill(name: string, options: BackfillOptions): Promise<readonly (ScheduleRun & { readonly dueMs: number })[]> {
    checkOptions('backfill', options, backfillOptions);
    const record = await this.#stored(name);
    const times = backfillTimes(record, options, await this.#now());
    const runs = times.map((dueMs) => ({ dueMs, runId: scheduledRunId(record, dueMs) }));
    const known = new Set((await this.#notes.heads(runs.map(({ runId }) => runId))).map(({ id }) => id));
    if (options.dryRun) return runs.map((run) => ({ ...run, isNew: !known.has(run.runId) }));
    const started: (ScheduleRun & { readonly dueMs: number })[] = [];
    const by = this.#actor();
    await this.#audited('backfill', name, async () => {
      for (const run of runs)
        started.push({ ...run, isNew: !known.has(run.runId) && (await startScheduled(this.#core, record, run.runId, by)) });
    });
    await this.#count(
      record,
      started.flatMap(({ runId, isNew }) => (isNew ? [runId] : [])),
    );
    return started;
  }

  async remove(name: string): Promise<void> {
    assertScheduleName(name);
    const now = await this.#now();
    await this.#audited('remove', name, () =>
      this.#notes.change(name, (found, isTaken) => {
        if (!isTaken) throw scheduleUnknown(name);
        if (found?.kind === 'declared' && isFresh(found, now)) throw scheduleDeclared(name);
        return 'remove';
      }),
    );
  }

  #audited<T>(action: LoggedAction, schedule: string, act: () => Promise<T>): Promise<T> {
    return audited(this.#core, this.#actor(), { action, schedule }, act);
  }

  async #now(): Promise<number> {
    this.#core.assertOpen();
    await clockReady(this.#core.clock);
    return this.#core.clock.now();
  }

  async #toRules(given: NewSchedule): Promise<ScheduleRules> {
    checkOptions('add', given, newSchedule);
    const { cron, timeZone, missed = 'once', overlap = 'skip', jitterMs = 0, metadata } = given;
    const stored = metadata === undefined ? {} : { metadata: toJson(metadata, 'metadata', maxInputBytes) as JsonObject };
    const workflow = typeof given.workflow === 'string' ? await this.#core.workflowForNew(given.workflow, metadata) : given.workflow;
    if (typeof workflow.structureHash !== 'string')
      throw optionInvalid('The value is not a workflow.', 'Pass a workflow from defineWorkflow, or its id.');
    const { name = workflow.id } = given;
    assertScheduleName(name);
    checkJitter(name, jitterMs, cronTimes(name, cron, timeZone), await this.#now());
    const input = toJson(given.input ?? null, 'input', maxInputBytes);
    workflow.parseInput(input);
    return { name, workflow: workflow.id, input, ...stored, cron, timeZone, missed, overlap, jitterMs };
  }

  async #change(
    action: 'pause' | 'resume',
    name: string,
    to: (record: ScheduleRecord, now: number) => ScheduleRecord,
  ): Promise<ScheduleInfo> {
    assertScheduleName(name);
    const now = await this.#now();
    const changed = await this.#audited(action, name, () => this.#notes.change(name, (found) => to(storedOf(name, found, now), now)));
    return toInfo(storedOf(name, changed, now), now);
  }

  async #stored(name: string): Promise<ScheduleRecord> {
    assertScheduleName(name);
    const now = await this.#now();
    return storedOf(name, await this.#notes.change(name, () => 'keep'), now);
  }

  /** Adds runs that may overlap with those of the next times. */
  async #count({ name, id, overlap }: ScheduleRecord, runIds: readonly string[]): Promise<void> {
    if (overlap === 'allow' || runIds.length === 0) return;
    await this.#notes.change(name, (found) =>
      found?.kind === 'stored' && found.id === id ? { ...found, active: [...found.active, ...runIds] } : 'keep',
    );
  }
}

/** @throws {WorkflowError} `SCHEDULE_UNKNOWN`, `SCHEDULE_DECLARED`. */
function storedOf(name: string, found: AnySchedule | undefined, now: number): ScheduleRecord {
  if (found?.kind === 'stored') return found;
  throw found && isFresh(found, now) ? scheduleDeclared(name) : scheduleUnknown(name);
}

const isSame = (record: ScheduleRecord, rules: ScheduleRules): boolean =>
  Object.entries({ metadata: undefined, ...rules }).every(
    ([field, value]) => canonicalJson(record[field as keyof ScheduleRules] ?? null) === canonicalJson(value ?? null),
  );

/** A time zone may be unknown on this machine. The others are listed anyway. */
function nextOf(record: ScheduleRecord): number | undefined {
  try {
    return nextStart(record, cronTimes(record.name, record.cron, record.timeZone));
  } catch {
    return undefined;
  }
}

function toInfo(record: AnySchedule, now: number): ScheduleInfo {
  if (record.kind === 'declared') {
    const { kind, at: _, nextMs, ...declared } = record;
    return { ...declared, status: kind, ...(nextMs !== undefined && nextMs >= now ? { nextMs } : {}) };
  }
  const { name, workflow, input, metadata, cron, timeZone, missed, overlap, jitterMs, addedAt, paused, waiting, started, skipped } = record;
  const { last } = record;
  const nextMs = nextOf(record);
  return {
    name,
    workflow,
    status: paused ? 'paused' : 'active',
    missed,
    ...(last === undefined ? {} : { lastMs: last.dueMs, lastRunId: last.runId }),
    ...(last?.error === undefined ? {} : { lastError: last.error }),
    ...(nextMs === undefined ? {} : { nextMs }),
    cron,
    timeZone,
    overlap,
    jitterMs,
    input,
    ...(metadata === undefined ? {} : { metadata }),
    addedAt,
    waiting,
    started,
    skipped,
  };
}
