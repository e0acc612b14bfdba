import { toErrorInfo, WorkflowError } from '../errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { ErrorInfo } from '../ports/error-info.ts';
import type { RunQuery } from '../ports/run-store.ts';
import { hasCode } from '../util/has-code.ts';
import type { Run } from './run.ts';
import type { Runtime } from './runtime.ts';
import { type Schedule, scheduledRunId, scheduledTime } from './schedule.ts';
import { clockReady } from './store-clock.ts';
import type { WorkerRoom } from './worker-room.ts';

/** A time of a schedule, and the run that was started for it, or why it was not. */
export interface Firing {
  readonly schedule: string;
  readonly dueMs: number;
  readonly runId: string;
  readonly started: Run<unknown> | ErrorInfo;
  /** It is left to the workers of the store: its thread may have to wait for a human first. */
  readonly isLeft: boolean;
}

/** Missed times that runs are started for at most. */
const mostMissed = 100;
/** Times that are computed at once, going back. */
const lookedBackAtOnce = 20;
/** Runs that are read at once, going back to the last one of a schedule. */
const listedAtOnce = 1_000;
/** A time counts as missed when it is noticed later than that, in milliseconds. */
const graceMs = 60_000;

/** Starts the runs of schedules. What was started stands in the store: a run's id says its schedule and its time. */
export class Firings {
  readonly #runtime: Runtime;
  readonly #clock: Clock;
  readonly #schedules: readonly Schedule[];
  /** Up to when the times of each schedule are known. */
  readonly #known = new Map<Schedule, number>();
  readonly #pending: { readonly schedule: Schedule; readonly dueMs: number }[] = [];

  /** @throws {WorkflowError} `OPTION_INVALID` for two schedules of one name. */
  constructor(runtime: Runtime, clock: Clock, schedules: readonly Schedule[]) {
    this.#runtime = runtime;
    this.#clock = clock;
    this.#schedules = schedules;
    const names = new Set<string>();
    for (const { name } of schedules) {
      if (names.has(name)) throw sameName(name);
      names.add(name);
    }
  }

  /** When the next time comes; `undefined` when none does. */
  get nextAt(): number | undefined {
    const times = [...this.#known].flatMap(([schedule, known]) => schedule.next(known) ?? []);
    return times.length > 0 ? Math.min(...times) : undefined;
  }

  /**
   * Starts what is due and has not been started by anybody.
   *
   * @param room what is started takes its place in it; what has none waits for the next call.
   */
  async fire(room: WorkerRoom): Promise<readonly Firing[]> {
    await clockReady(this.#clock);
    const now = this.#clock.now();
    for (const schedule of this.#schedules) await this.#look(schedule, now);
    const fired: Firing[] = [];
    for (const next of [...this.#pending]) {
      const { schedule, dueMs } = next;
      const isLeft = schedule.threadId !== undefined;
      if (!isLeft && !room.fits(schedule.workflow.id)) continue;
      const isStarted = await this.#isStarted(schedule, dueMs);
      this.#pending.splice(this.#pending.indexOf(next), 1); // not before: a store that cannot be used is asked again
      if (isStarted) continue;
      const runId = scheduledRunId(schedule, dueMs);
      const started = this.#start(schedule, dueMs);
      if (!isLeft && !('code' in started)) room.hold(runId, schedule.workflow.id);
      fired.push({ schedule: schedule.name, dueMs, runId, started, isLeft });
    }
    return fired;
  }

  async #look(schedule: Schedule, now: number): Promise<void> {
    const known = this.#known.get(schedule) ?? (await this.#lastStarted(schedule, now));
    this.#known.set(schedule, now);
    for (const dueMs of missedSince(schedule, known, now)) this.#pending.push({ schedule, dueMs });
  }

  /** The last time for which there is a run; now, for a schedule that has no run yet. */
  async #lastStarted({ name, workflow }: Schedule, now: number): Promise<number> {
    // usually the last run is among the newest; behind these, only runs of the schedule are read
    let older: Pick<RunQuery, 'before' | 'idPrefix'> = {};
    for (;;) {
      const runs = await this.#runtime.list({ workflow: workflow.id, limit: listedAtOnce, ...older });
      for (const { id } of runs) {
        const dueMs = scheduledTime(name, id);
        if (dueMs !== undefined) return dueMs;
      }
      const before = runs.at(-1)?.id;
      if (before === undefined || runs.length < listedAtOnce) return now;
      older = { before, idPrefix: `${name}_` };
    }
  }

  async #isStarted(schedule: Schedule, dueMs: number): Promise<boolean> {
    try {
      await this.#runtime.get(scheduledRunId(schedule, dueMs));
      return true;
    } catch (cause) {
      if (hasCode(cause, 'RUN_UNKNOWN')) return false;
      if (hasCode(cause, 'STORE_UNAVAILABLE', 'RUNTIME_CLOSED')) throw cause;
      return true; // it is there, and cannot be read
    }
  }

  #start(schedule: Schedule, dueMs: number): Run<unknown> | ErrorInfo {
    const { workflow, threadId, metadata } = schedule;
    try {
      return this.#runtime.start(workflow, schedule.inputAt(dueMs), {
        runId: scheduledRunId(schedule, dueMs),
        ...(threadId === undefined ? {} : { threadId, ifBusy: 'queue' as const, drive: false }),
        ...(metadata === undefined ? {} : { metadata }),
      });
    } catch (cause) {
      return toErrorInfo(cause); // of its input: another time may have a better one
    }
  }
}

/**
 * The times that a run is started for, oldest first. What is computed grows with what is started, not with the time that has passed: a clock
 * may jump by a year.
 */
function missedSince(schedule: Schedule, after: number, now: number): readonly number[] {
  const next = schedule.next(after);
  if (next === undefined || next > now) return [];
  if (schedule.missed === 'all') return lastTimes(schedule, after, now);
  const last = schedule.previous(now + 1_000, 2).find((dueMs) => dueMs <= now);
  return last === undefined || (schedule.missed === 'skip' && now - last > graceMs) ? [] : [last];
}

function lastTimes(schedule: Schedule, after: number, now: number): readonly number[] {
  const times: number[] = [];
  for (;;) {
    const earlier = schedule.previous(times.at(-1) ?? now + 1_000, lookedBackAtOnce);
    times.push(...earlier.filter((dueMs) => dueMs <= now && dueMs > after));
    if (times.length >= mostMissed || earlier.length < lookedBackAtOnce || earlier.some((dueMs) => dueMs <= after)) break;
  }
  return times.slice(0, mostMissed).reverse();
}

const sameName = (name: string): WorkflowError =>
  new WorkflowError({
    code: 'OPTION_INVALID',
    message: `There are two schedules "${name}".`,
    hint: 'Give one of them another name: their runs are known by it.',
  });
