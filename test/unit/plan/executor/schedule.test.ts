import type { Effect } from 'agent-machines';
import { describe, expect, it } from 'vitest';
import { dependenciesOf, nextJob, reachableJobs, type ScheduleRules } from '../../../../src/plan/executor/schedule.ts';

type Job = NonNullable<ReturnType<typeof nextJob>>;

const job = (id: number, needs: readonly number[] = [], effect: Effect = 'pure'): Job => ({
  id,
  key: `job_${id}`,
  effect,
  needs,
  prepare: () => {
    throw new Error('A schedule prepares nothing.');
  },
});

interface Situation extends Partial<ScheduleRules> {
  readonly succeeded?: readonly number[];
  readonly running?: readonly Job[];
  readonly held?: readonly Job[];
}

const next = (waiting: readonly Job[], { succeeded = [], running = [], held = [], ...rules }: Situation = {}): number | undefined =>
  nextJob(
    { waiting, succeeded: new Set(succeeded), running: new Set(running), held: new Set(held) },
    { execution: 'auto', concurrency: 8, isHeld: () => false, ...rules },
  )?.id;

describe('dependenciesOf', () => {
  it('are the steps whose output a step uses', () => {
    const step = { step_id: 4, tool: 'pure' };
    expect(dependenciesOf(step)).toEqual([]);
    expect(dependenciesOf({ ...step, input_from: 'step_2' })).toEqual([2]);
    expect(dependenciesOf({ ...step, input_from: 'step_2#/a/0' })).toEqual([2]);
    expect(dependenciesOf({ ...step, input_from: { a: 'step_1', b: 'step_3#/x', c: 'step_1' } })).toEqual([1, 3, 1]);
  });
});

describe('nextJob', () => {
  it('is the first in plan order with all its arguments', () => {
    const jobs = [job(2, [9]), job(3, [8, 7]), job(4, [8]), job(5)];
    expect(next(jobs)).toBe(5);
    expect(next(jobs, { succeeded: [8] })).toBe(4);
    expect(next(jobs, { succeeded: [7, 8] })).toBe(3);
    expect(next(jobs, { succeeded: [7, 8, 9] })).toBe(2);
  });

  it('is undefined when nothing is ready', () => {
    for (const execution of ['auto', 'sequential'] as const) {
      expect(next([], { execution })).toBeUndefined();
      expect(next([job(2, [1])], { execution })).toBeUndefined();
    }
  });

  it('respects the concurrency, including running jobs', () => {
    const running = [job(1), job(2), job(3)];
    expect(next([job(4)], { concurrency: 4, running })).toBe(4);
    expect(next([job(4)], { concurrency: 3, running })).toBeUndefined();
    expect(next([job(4)], { concurrency: 2, running })).toBeUndefined();
  });

  it('is the first ready one when nothing runs, if it is sequential', () => {
    const jobs = [job(1, [9]), job(2), job(3)];
    expect(next(jobs, { execution: 'sequential' })).toBe(2);
    expect(next(jobs, { execution: 'sequential', succeeded: [9] })).toBe(1);
    expect(next(jobs, { execution: 'sequential', running: [job(8)] })).toBeUndefined();
  });

  it('skips held jobs', () => {
    expect(next([job(1), job(2)], { isHeld: ({ id }) => id === 1 })).toBe(2);
    expect(next([job(1), job(2)], { isHeld: ({ id }) => id === 1, execution: 'sequential' })).toBe(1);
  });

  it('makes once jobs wait only for each other', () => {
    const send = job(1, [], 'once');
    expect(next([send])).toBe(1);
    expect(next([send], { running: [job(8), job(9, [], 'idempotent')] })).toBe(1);
    expect(next([send, job(2)], { running: [job(8, [], 'once')] })).toBe(2);
    expect(next([send], { running: [job(8, [], 'once')] })).toBeUndefined();
  });

  it('starts no once job before an earlier reachable one in the plan', () => {
    const jobs = [job(1, [7], 'once'), job(2, [], 'once'), job(3)];
    expect(next(jobs, { running: [job(7)] })).toBe(3);
    expect(next(jobs, { succeeded: [7] })).toBe(1);
    expect(next(jobs)).toBe(2); // 7 has failed
    expect(next(jobs, { held: [job(7)] })).toBe(3); // 7 may still be approved
    expect(next(jobs, { held: [job(7)], execution: 'sequential' })).toBeUndefined();
  });
});

describe('reachableJobs', () => {
  it('are those whose arguments are or will be available', () => {
    const jobs = [job(1, [7]), job(2, [8]), job(3, [9]), job(4, [1, 2]), job(5, [4, 3])];
    const state = { waiting: jobs, running: new Set([job(7)]), held: new Set<Job>(), succeeded: new Set([8]) };
    expect([...reachableJobs(state)].map(({ id }) => id)).toEqual([1, 2, 4]);
  });
});
