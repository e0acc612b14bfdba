import { toErrorInfo, WorkflowError } from '../errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { ErrorInfo } from '../ports/error-info.ts';
import { hasCode } from '../util/has-code.ts';
import type { Run } from './run.ts';
import type { Runtime } from './runtime.ts';
import { type Schedule, scheduledRunId } from './schedule.ts';
import type { WorkerRoom } from './worker-room.ts';

/** A time of a schedule, and the run that was started for it, or why it was not. */
export interface Firing {
  readonly schedule: string;
  readonly dueMs: number;
  readonly runId: string;
  readonly started: Run<unknown> | ErrorInfo;
}

/** So many times are looked back for the last one that a run was started for, and so many are made good at most. */
const longestLookBack = 1_000;
/** Each costs as much as a read of the store, and the last run is mostly near. */
const lookedBackAtOnce = 20;
const mostMissed = 100;
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
    const now = this.#clock.now();
    for (const schedule of this.#schedules) await this.#look(schedule, now);
    const fired: Firing[] = [];
    for (const next of [...this.#pending]) {
      const { schedule, dueMs } = next;
      if (!room.fits(schedule.workflow.id)) continue;
      const isStarted = await this.#isStarted(schedule, dueMs);
      this.#pending.splice(this.#pending.indexOf(next), 1); // not before: a store that cannot be used is asked again
      if (isStarted) continue;
      const runId = scheduledRunId(schedule, dueMs);
      const started = this.#start(schedule, dueMs);
      if (!('code' in started)) room.hold(runId, schedule.workflow.id);
      fired.push({ schedule: schedule.name, dueMs, runId, started });
    }
    return fired;
  }

  async #look(schedule: Schedule, now: number): Promise<void> {
    const known = this.#known.get(schedule);
    const dues = known === undefined ? await this.#missedBefore(schedule, now) : between(schedule, known, now);
    this.#known.set(schedule, now);
    for (const dueMs of chosen(schedule, dues, now)) this.#pending.push({ schedule, dueMs });
  }

  /** The times since the last one for which there is a run; none for a schedule that has no run yet. */
  async #missedBefore(schedule: Schedule, now: number): Promise<readonly number[]> {
    const times: number[] = [];
    while (times.length < longestLookBack) {
      const earlier = schedule.previous(times.at(-1) ?? now + 1_000, lookedBackAtOnce);
      for (const dueMs of earlier.filter((dueMs) => dueMs <= now)) {
        if (await this.#isStarted(schedule, dueMs)) return times.reverse();
        times.push(dueMs);
      }
      if (earlier.length < lookedBackAtOnce) break;
    }
    return [];
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
        ...(threadId === undefined ? {} : { threadId, ifBusy: 'queue' as const }),
        ...(metadata === undefined ? {} : { metadata }),
      });
    } catch (cause) {
      return toErrorInfo(cause); // of its input: another time may have a better one
    }
  }
}

/** All times in between, oldest first; the last ones, when there are too many. */
function between(schedule: Schedule, after: number, upTo: number): readonly number[] {
  const times: number[] = [];
  for (let at = schedule.next(after); at !== undefined && at <= upTo; at = schedule.next(at)) {
    times.push(at);
    if (times.length > mostMissed) times.shift();
  }
  return times;
}

/** Which of these times a run is started for. @param dues oldest first. */
function chosen({ missed }: Schedule, dues: readonly number[], now: number): readonly number[] {
  if (missed === 'all') return dues.slice(-mostMissed);
  const last = dues.slice(-1);
  return missed === 'once' ? last : last.filter((dueMs) => now - dueMs <= graceMs);
}

const sameName = (name: string): WorkflowError =>
  new WorkflowError({
    code: 'OPTION_INVALID',
    message: `There are two schedules "${name}".`,
    hint: 'Give one of them another name: their runs are known by it.',
  });
