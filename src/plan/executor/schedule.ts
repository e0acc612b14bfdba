import type { PlanStep } from '../gate/plan.ts';
import { parseReference } from '../gate/step-reference.ts';
import type { Job } from './job.ts';

export interface ScheduleState {
  /** Jobs that have not started, in plan order. */
  readonly waiting: readonly Job[];
  readonly running: ReadonlySet<Job>;
  /** Jobs that need approval, and those behind one: they may run later. */
  readonly held: ReadonlySet<Job>;
  /** Ids of jobs that have succeeded. */
  readonly succeeded: ReadonlySet<number>;
}

export interface ScheduleRules {
  readonly execution: 'auto' | 'sequential';
  readonly concurrency: number;
  /** True for a job that must wait although its arguments are available. */
  readonly isHeld: (job: Job) => boolean;
}

/**
 * The first job in plan order that may start: its arguments are available, a slot is free, and, for a `once` job, no other `once` job is
 * running or comes before it, held ones included. `sequential` jobs never overtake each other.
 */
export function nextJob(state: ScheduleState, { execution, concurrency, isHeld }: ScheduleRules): Job | undefined {
  const { waiting, running, succeeded } = state;
  if (running.size >= (execution === 'sequential' ? 1 : concurrency)) return undefined;
  const reachable = reachableJobs(state);
  let once = [...running].some(isOnce);
  for (const job of waiting) {
    const mayStart = !(isOnce(job) && once);
    if (mayStart && job.needs.every((id) => succeeded.has(id)) && !(execution === 'auto' && isHeld(job))) return job;
    if (execution === 'sequential' && reachable.has(job)) return undefined;
    once ||= isOnce(job) && reachable.has(job);
  }
  return undefined;
}

/** The waiting jobs that will start unless something fails or is rejected: no output that they need is missing for good. */
export function reachableJobs({ waiting, running, held, succeeded }: ScheduleState): ReadonlySet<Job> {
  const coming = new Set([...running, ...held].map(({ id }) => id));
  const reachable = new Set<Job>();
  // a job only needs earlier ones, so one pass in plan order is enough
  for (const job of waiting) {
    if (!job.needs.every((id) => succeeded.has(id) || coming.has(id))) continue;
    coming.add(job.id);
    reachable.add(job);
  }
  return reachable;
}

/** True for a job that must wait for the decision on an earlier held job, to keep their order. */
export function isBehind(job: Job, jobs: readonly Job[], held: ReadonlySet<Job>, execution: ScheduleRules['execution']): boolean {
  if (execution === 'auto' && !isOnce(job)) return false;
  // Decision 89: a `wipe` must not run before the held `backup` that precedes it.
  const before = jobs.slice(0, jobs.indexOf(job)).filter((other) => held.has(other));
  return before.some((other) => (execution === 'auto' ? isOnce(other) : other.effect !== 'pure'));
}

const isOnce = ({ effect }: Job): boolean => effect === 'once';

/** Ids of the steps whose output a step needs. */
export function dependenciesOf({ input_from: from }: PlanStep): readonly number[] {
  const texts = from === undefined ? [] : typeof from === 'string' ? [from] : Object.values(from);
  return texts.flatMap((text) => parseReference(text)?.stepId ?? []);
}
