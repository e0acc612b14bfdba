import { toErrorInfo } from '../../core/errors/errors.ts';
import type { ErrorInfo } from '../../core/ports/error-info.ts';
import { hasCode } from '../../core/util/has-code.ts';
import { cancel } from '../run/cancel.ts';
import type { RuntimeCore } from '../run/runtime-core.ts';
import { clockReady } from '../run/store-clock.ts';
import { decideTimes, nextStart } from '../schedules/decide-times.ts';
import { ScheduleNotes } from '../schedules/schedule-notes.ts';
import { closeStart, isFresh, type OpenStart, type ScheduleRecord } from '../schedules/schedule-record.ts';
import { type ScheduleTimes, scheduledRunId } from '../schedules/scheduled-run.ts';
import { startScheduled } from '../schedules/start-scheduled.ts';

/** Time of a stored schedule with its run, or the error that prevented the start. */
export interface StoredStart {
  readonly schedule: string;
  readonly dueMs: number;
  readonly runId: string;
  readonly error?: ErrorInfo;
}

export interface StoredScheduleOptions {
  readonly core: RuntimeCore;
  /** Names of the worker's own schedules, which win over stored ones. */
  readonly declared: ReadonlySet<string>;
  readonly onStart: (start: StoredStart) => void;
}

/** Maximum number of changes of one schedule per poll, so that a long queue does not delay the other schedules. */
const maxChanges = 20;

/** Errors of the store or the runtime as a whole. A start that fails with one of them stays open. */
const hostCodes = ['RUNTIME_CLOSED', 'STORE_UNAVAILABLE', 'STORE_LOST', 'STORE_VERSION', 'ADAPTER_MISSING', 'ENGINE_TOO_OLD'] as const;

/**
 * Starts the runs of stored schedules, without driving them. One transaction decides a time and stores the start that it opens. The next
 * one closes this start, after the run is in the store. Any worker completes an open start, because the id of the run follows from the time.
 */
export class StoredScheduleStarter {
  readonly #core: RuntimeCore;
  readonly #notes: ScheduleNotes | undefined;
  readonly #declared: ReadonlySet<string>;
  readonly #onStart: (start: StoredStart) => void;
  /** Parsed patterns, by time zone and pattern. */
  #times = new Map<string, ScheduleTimes>();
  /** Schedules that this worker leaves to others, and has reported. */
  readonly #left = new Set<string>();
  #nextAt: number | undefined;

  constructor({ core, declared, onStart }: StoredScheduleOptions) {
    this.#core = core;
    this.#notes = ScheduleNotes.of(core.store.storage);
    this.#declared = declared;
    this.#onStart = onStart;
  }

  /** Earliest next start of all schedules, as of the last `startDue`. */
  get nextAt(): number | undefined {
    return this.#nextAt;
  }

  /** Reports the schedules that this worker leaves to others once more. */
  forgetLeft(): void {
    this.#left.clear();
  }

  async startDue(): Promise<void> {
    const notes = this.#notes;
    if (!notes) return;
    await clockReady(this.#core.clock);
    const all = await notes.all();
    const schedules = all.flatMap((one) => (one.kind === 'stored' && !this.#declared.has(one.name) ? [one] : []));
    for (const one of all) if (one.kind === 'declared' && !isFresh(one, this.#core.clock.now())) await this.#removeStale(one.name, notes);
    const before = this.#times;
    this.#times = new Map();
    const next: number[] = [];
    for (const schedule of schedules) {
      const times = await this.#timesOf(schedule, before);
      if (!times) continue;
      const nextMs = nextStart(await this.#startDueOf(schedule, times, notes), times);
      if (nextMs !== undefined && nextMs > this.#core.clock.now()) next.push(nextMs); // an earlier one is left to another worker
    }
    this.#nextAt = next.length > 0 ? Math.min(...next) : undefined;
  }

  /** Removes a schedule that no code has any more. */
  async #removeStale(name: string, notes: ScheduleNotes): Promise<void> {
    const now = this.#core.clock.now();
    await notes.change(name, (found) => (found?.kind === 'declared' && !isFresh(found, now) ? 'remove' : 'keep'));
  }

  /** Parses a pattern once. The parser is loaded when there is a schedule. */
  async #timesOf(schedule: ScheduleRecord, before: ReadonlyMap<string, ScheduleTimes>): Promise<ScheduleTimes | undefined> {
    const { name, cron, timeZone } = schedule;
    const key = `${timeZone} ${cron}`;
    try {
      const { cronTimes } = await import('../schedules/cron-times.ts');
      const times = before.get(key) ?? this.#times.get(key) ?? cronTimes(name, cron, timeZone);
      this.#times.set(key, times);
      return times;
    } catch (cause) {
      this.#leave(schedule, schedule.decidedMs, cause); // a time zone that this machine does not know
      return undefined;
    }
  }

  /** Returns the schedule after its changes. */
  async #startDueOf(schedule: ScheduleRecord, times: ScheduleTimes, notes: ScheduleNotes): Promise<ScheduleRecord> {
    let current = schedule;
    for (let changes = 0; changes < maxChanges; changes++) {
      const changed = await this.#advance(current, times, notes);
      if (changed === current || !changed) break;
      current = changed;
    }
    return current;
  }

  /** Decides the due times, or completes the open start. @returns the same schedule if nothing changes; `undefined` once it is removed. */
  async #advance(schedule: ScheduleRecord, times: ScheduleTimes, notes: ScheduleNotes): Promise<ScheduleRecord | undefined> {
    const { name, id, opened } = schedule;
    const now = this.#core.clock.now();
    const nextMs = nextStart(schedule, times);
    if (!opened && schedule.waiting.length === 0 && (nextMs === undefined || nextMs > now)) return schedule;
    const active = await activeRuns(schedule, notes);
    const decide = (record: ScheduleRecord): ScheduleRecord =>
      record.active.every((runId) => active.has(runId))
        ? decideTimes(record, { now, times, isActive: (runId) => active.get(runId) === true })
        : record; // a run was started meanwhile: the next poll reads it
    if (!opened && decide(schedule) === schedule) return schedule;
    if (!(await this.#hasWorkflow(schedule, opened?.dueMs ?? nextMs ?? now))) return schedule;
    const start = opened && (await this.#complete(schedule, opened));
    if (start && !start.error) active.set(start.runId, true);
    let isClosed = false; // by this worker, which then reports the start
    const changed = await notes.change(name, (found) => {
      isClosed = false;
      if (found?.kind !== 'stored' || found.id !== id) return 'keep';
      const closed = start ? closeStart(found, start) : found;
      isClosed = closed !== found;
      const decided = decide(closed);
      return decided === found ? 'keep' : decided;
    });
    if (start && isClosed) this.#onStart(start);
    return changed?.kind === 'stored' && changed.id === id ? changed : undefined;
  }

  async #hasWorkflow(schedule: ScheduleRecord, dueMs: number): Promise<boolean> {
    try {
      await this.#core.workflowForNew(schedule.workflow, schedule.metadata);
      return true;
    } catch (cause) {
      this.#leave(schedule, dueMs, cause);
      return false;
    }
  }

  /** @throws errors of the store or the runtime as a whole. */
  async #complete(schedule: ScheduleRecord, { dueMs, replaces }: OpenStart): Promise<StoredStart> {
    const start = { schedule: schedule.name, dueMs, runId: scheduledRunId(schedule, dueMs) };
    try {
      for (const runId of replaces) await cancel(this.#core, runId).catch(ignoreEnded);
      await startScheduled(this.#core, schedule, start.runId);
      return start;
    } catch (cause) {
      if (hasCode(cause, ...hostCodes)) throw cause;
      return { ...start, error: toErrorInfo(cause) };
    }
  }

  #leave(schedule: ScheduleRecord, dueMs: number, cause: unknown): void {
    const { name } = schedule;
    if (this.#left.has(name)) return;
    this.#left.add(name);
    this.#onStart({ schedule: name, dueMs, runId: scheduledRunId(schedule, dueMs), error: toErrorInfo(cause) });
  }
}

/** Says of each started run whether it has not ended. */
async function activeRuns({ active }: ScheduleRecord, notes: ScheduleNotes): Promise<Map<string, boolean>> {
  const heads = new Map((await notes.heads(active)).map(({ id, status }) => [id, status]));
  return new Map(
    active.map((runId) => {
      const status = heads.get(runId);
      return [runId, status !== undefined && status !== 'done' && status !== 'failed' && status !== 'cancelled'];
    }),
  );
}

const ignoreEnded = (cause: unknown): void => {
  if (!hasCode(cause, 'RUN_ENDED', 'RUN_UNKNOWN')) throw cause;
};
