import type { PlanStep } from '../plan/plan.ts';
import { parseReference } from '../plan/step-reference.ts';
import type { Job } from './job.ts';

export interface ScheduleState {
  /** Jobs that have not been started, in plan order. */
  readonly waiting: readonly Job[];
  readonly running: ReadonlySet<Job>;
  /** Jobs that wait for a human, or behind one that does: they may still be made, but not now. */
  readonly held: ReadonlySet<Job>;
  /** Ids of jobs that have succeeded. */
  readonly succeeded: ReadonlySet<number>;
}

export interface ScheduleRules {
  readonly execution: 'auto' | 'sequential';
  readonly concurrency: number;
  /** True for a job that must wait although its inputs are there. */
  readonly isHeld: (job: Job) => boolean;
}

/**
 * The job that may start now, the first in plan order: its inputs are there, a place is free, and, if it is `once`, no other `once` job is
 * running or comes before it, be it behind one that waits for a human. Of `sequential` jobs, none overtakes another.
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

/** The waiting jobs that will start if nothing fails or is rejected: no output that they need is one that has failed to come. */
export function reachableJobs({ waiting, running, held, succeeded }: ScheduleState): ReadonlySet<Job> {
  const coming = new Set([...running, ...held].map(({ id }) => id));
  const reachable = new Set<Job>();
  // a job needs earlier ones only, so one look in plan order is enough
  for (const job of waiting) {
    if (!job.needs.every((id) => succeeded.has(id) || coming.has(id))) continue;
    coming.add(job.id);
    reachable.add(job);
  }
  return reachable;
}

/** True for a job that must not be made before the held ones in front of it are decided: an order that it is part of would be turned round. */
export function isBehind(job: Job, jobs: readonly Job[], held: ReadonlySet<Job>, execution: ScheduleRules['execution']): boolean {
  if (execution === 'auto' && !isOnce(job)) return false;
  const before = jobs.slice(0, jobs.indexOf(job)).filter((other) => held.has(other));
  return before.some((other) => (execution === 'auto' ? isOnce(other) : other.effect !== 'pure'));
}

const isOnce = ({ effect }: Job): boolean => effect === 'once';

/** The steps whose output a step needs. */
export function dependenciesOf({ input_from: from }: PlanStep): readonly number[] {
  const texts = from === undefined ? [] : typeof from === 'string' ? [from] : Object.values(from);
  return texts.flatMap((text) => parseReference(text)?.stepId ?? []);
}
