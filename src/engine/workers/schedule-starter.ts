import { toErrorInfo, type WorkflowError } from '../../core/errors/errors.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { ErrorInfo } from '../../core/ports/error-info.ts';
import type { RunQuery, RunRecord } from '../../core/ports/run-store.ts';
import { optionInvalid } from '../../core/util/check-options.ts';
import { hasCode } from '../../core/util/has-code.ts';
import type { Run } from '../drive/run.ts';
import { coreOf } from '../run/create-runtime.ts';
import type { Runtime } from '../run/runtime.ts';
import { clockReady } from '../run/store-clock.ts';
import { type Schedule, scheduledRunId, scheduledTime } from '../schedules/scheduled-run.ts';
import type { WorkerSlots } from './worker-concurrency.ts';

/** Scheduled time, with the run started for it, or the error that prevented the start. */
export interface ScheduledStart {
  readonly schedule: string;
  readonly dueMs: number;
  readonly runId: string;
  readonly started: Run<unknown> | ErrorInfo;
  /** True when the run is left to the workers of the store, because its thread may have to wait for a human first. */
  readonly isLeft: boolean;
}

/** Maximum number of missed times that runs are started for. */
const maxMissed = 100;
/** Number of times computed per step back. */
const timesPerPage = 20;
/** Page size when listing runs back to the last one of a schedule. */
const pageSize = 1_000;
/** Delay after which a time counts as missed, in milliseconds. */
const graceMs = 60_000;

/** Starts the runs of schedules. The store remembers started runs: a run's id contains its schedule and time. */
export class ScheduleStarter {
  readonly #runtime: Runtime;
  readonly #clock: Clock;
  readonly #schedules: readonly Schedule[];
  /** Time up to which each schedule has been checked. */
  readonly #known = new Map<Schedule, number>();
  /** Due times without a run yet, oldest first, by schedules in the order of their turns. */
  readonly #pending = new Map<Schedule, readonly number[]>();

  /** @throws {WorkflowError} `OPTION_INVALID` for two schedules of one name. */
  constructor(runtime: Runtime, clock: Clock, schedules: readonly Schedule[]) {
    this.#runtime = runtime;
    this.#clock = clock;
    this.#schedules = schedules;
    const names = new Set<string>();
    for (const { name } of schedules) {
      if (names.has(name)) throw scheduleNameTaken(name);
      names.add(name);
    }
  }

  /** Earliest next time of all schedules. `undefined` when there is none. */
  get nextAt(): number | undefined {
    const times = [...this.#known].flatMap(([schedule, known]) => schedule.next(known) ?? []);
    return times.length > 0 ? Math.min(...times) : undefined;
  }

  /**
   * Starts the runs that are due and not started yet.
   *
   * @param slots takes a slot for each started run. A run without a free slot waits for the next call.
   */
  async startDue(slots: WorkerSlots): Promise<readonly ScheduledStart[]> {
    await clockReady(this.#clock);
    const now = this.#clock.now();
    for (const schedule of this.#schedules) await this.#updatePending(schedule, now);
    const starts: ScheduledStart[] = [];
    for (const [schedule, [dueMs, ...later]] of this.#pending) {
      if (dueMs === undefined) continue;
      const isLeft = schedule.threadId !== undefined;
      const run = firstRecord(schedule, dueMs, now);
      if (!isLeft && !slots.fits(run)) continue;
      const isStarted = await this.#isStarted(run.id);
      this.#pending.delete(schedule); // not earlier: if the store is unavailable, the next call retries
      if (later.length > 0) this.#pending.set(schedule, later); // the loop visits it again, after the other schedules
      if (isStarted) continue;
      const started = this.#start(schedule, dueMs);
      if (!isLeft && !('code' in started)) slots.hold(run);
      starts.push({ schedule: schedule.name, dueMs, runId: run.id, started, isLeft });
    }
    return starts;
  }

  async #updatePending(schedule: Schedule, now: number): Promise<void> {
    const known = this.#known.get(schedule) ?? (await this.#lastStarted(schedule, now));
    this.#known.set(schedule, now);
    const waiting = this.#pending.get(schedule) ?? [];
    const times = withoutMissed(schedule, [...waiting, ...missedSince(schedule, known, now)], now);
    if (times.length > 0) this.#pending.set(schedule, times);
    else this.#pending.delete(schedule);
  }

  /** Returns the time of the schedule's last run, or the current time if it has none. */
  async #lastStarted({ name, workflow }: Schedule, now: number): Promise<number> {
    // The last run is usually among the newest runs. Further pages list only runs of the schedule.
    let older: Pick<RunQuery, 'before' | 'idPrefix'> = {};
    for (;;) {
      const runs = await this.#runtime.list({ workflow: workflow.id, limit: pageSize, ...older });
      for (const { id } of runs) {
        const dueMs = scheduledTime(name, id);
        if (dueMs !== undefined) return dueMs;
      }
      const before = runs.at(-1)?.id;
      if (before === undefined || runs.length < pageSize) return now;
      older = { before, idPrefix: `${name}_` };
    }
  }

  async #isStarted(runId: string): Promise<boolean> {
    try {
      await this.#runtime.get(runId);
      return true;
    } catch (cause) {
      if (hasCode(cause, 'RUN_UNKNOWN')) return false;
      if (hasCode(cause, 'STORE_UNAVAILABLE', 'RUNTIME_CLOSED')) throw cause;
      return true; // the run exists but is unreadable
    }
  }

  #start(schedule: Schedule, dueMs: number): Run<unknown> | ErrorInfo {
    const { workflow, threadId, metadata } = schedule;
    try {
      const runtime = coreOf(this.#runtime) ? this.#runtime.as({ via: 'schedule', name: schedule.name }) : this.#runtime;
      return runtime.start(workflow, schedule.inputAt(dueMs), {
        runId: scheduledRunId(schedule, dueMs),
        ...(threadId === undefined ? {} : { threadId, ifBusy: 'queue' as const, drive: false }),
        ...(metadata === undefined ? {} : { metadata }),
      });
    } catch (cause) {
      return toErrorInfo(cause); // the input is invalid, but that of another time may be valid
    }
  }
}

/**
 * Times to start runs for, oldest first. The cost depends on the number of started runs, not on the elapsed time, since a clock may jump by
 * a year.
 */
function missedSince(schedule: Schedule, after: number, now: number): readonly number[] {
  const next = schedule.next(after);
  if (next === undefined || next > now) return [];
  if (schedule.missed === 'all') return lastTimes(schedule, after, now);
  return schedule
    .previous(now + 1_000, 2)
    .filter((dueMs) => dueMs <= now)
    .slice(0, 1);
}

/** Applies `missed` to due times, oldest first: those that wait for a place are treated like those of an outage. */
function withoutMissed({ missed }: Schedule, times: readonly number[], now: number): readonly number[] {
  if (missed === 'all') return times.slice(-maxMissed);
  return times.slice(-1).filter((dueMs) => missed === 'once' || now - dueMs <= graceMs);
}

const firstRecord = (schedule: Schedule, dueMs: number, now: number): RunRecord => ({
  id: scheduledRunId(schedule, dueMs),
  workflow: schedule.workflow.id,
  version: schedule.workflow.version,
  structure: schedule.workflow.structureHash,
  status: 'running',
  seq: 1,
  epoch: 1,
  crashes: 0,
  activeMs: 0,
  startedAt: now,
  updatedAt: now,
});

function lastTimes(schedule: Schedule, after: number, now: number): readonly number[] {
  const times: number[] = [];
  for (;;) {
    const earlier = schedule.previous(times.at(-1) ?? now + 1_000, timesPerPage);
    times.push(...earlier.filter((dueMs) => dueMs <= now && dueMs > after));
    if (times.length >= maxMissed || earlier.length < timesPerPage || earlier.some((dueMs) => dueMs <= after)) break;
  }
  return times.slice(0, maxMissed).reverse();
}

const scheduleNameTaken = (name: string): WorkflowError =>
  optionInvalid(`Two schedules have the name "${name}".`, 'Give one of them another name. The name identifies the runs of a schedule.');
