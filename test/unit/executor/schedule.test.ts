import type { PlanStep } from 'agent-machines/plan';
import { describe, expect, it } from 'vitest';
import { dependenciesOf, nextSteps, type ScheduleRules } from '../../../src/executor/schedule.ts';

const step = (step_id: number, input_from?: PlanStep['input_from'], tool = 'pure'): PlanStep => ({
  step_id,
  tool,
  ...(input_from === undefined ? {} : { input_from }),
});

interface Situation extends Partial<ScheduleRules> {
  readonly succeeded?: readonly number[];
  readonly running?: number;
}

const next = (remaining: readonly PlanStep[], { succeeded = [], running = 0, ...rules }: Situation = {}): readonly number[] =>
  nextSteps(
    { remaining, succeeded: new Set(succeeded), running },
    { execution: 'auto', concurrency: 8, isOnce: ({ tool }) => tool === 'once', ...rules },
  ).map(({ step_id }) => step_id);

describe('dependenciesOf', () => {
  it('are the steps that a step takes output from', () => {
    expect(dependenciesOf(step(4))).toEqual([]);
    expect(dependenciesOf(step(4, 'step_2'))).toEqual([2]);
    expect(dependenciesOf(step(4, 'step_2#/a/0'))).toEqual([2]);
    expect(dependenciesOf(step(4, { a: 'step_1', b: 'step_3#/x', c: 'step_1' }))).toEqual([1, 3, 1]);
  });
});

describe('nextSteps', () => {
  it('starts every step whose inputs are there, in plan order', () => {
    const steps = [step(1), step(2, 'step_9'), step(3, { a: 'step_8', b: 'step_7' }), step(4, 'step_8'), step(5)];
    expect(next(steps, { succeeded: [8] })).toEqual([1, 4, 5]);
    expect(next(steps, { succeeded: [7, 8, 9] })).toEqual([1, 2, 3, 4, 5]);
  });

  it('starts nothing when nothing is ready', () => {
    expect(next([])).toEqual([]);
    expect(next([step(2, 'step_1')])).toEqual([]);
    expect(next([step(2, 'step_1')], { execution: 'sequential' })).toEqual([]);
  });

  it('keeps to the concurrency, counting what runs', () => {
    const steps = [step(1), step(2), step(3), step(4)];
    expect(next(steps, { concurrency: 3 })).toEqual([1, 2, 3]);
    expect(next(steps, { concurrency: 3, running: 1 })).toEqual([1, 2]);
    expect(next(steps, { concurrency: 3, running: 3 })).toEqual([]);
    expect(next(steps, { concurrency: 3, running: 4 })).toEqual([]);
  });

  it('starts the first ready step alone when it is sequential', () => {
    const steps = [step(1, 'step_9'), step(2), step(3)];
    expect(next(steps, { execution: 'sequential' })).toEqual([2]);
    expect(next(steps, { execution: 'sequential', succeeded: [9] })).toEqual([1]);
    expect(next(steps, { execution: 'sequential', running: 1 })).toEqual([]);
  });

  it('starts the first ready step alone while a once step is ready', () => {
    const steps = [step(1), step(2, undefined, 'once'), step(3)];
    expect(next(steps)).toEqual([1]);
    expect(next(steps, { running: 1 })).toEqual([]);
    expect(next(steps.slice(1))).toEqual([2]);
    expect(next(steps.slice(2))).toEqual([3]);
  });

  it('does not wait for a once step that is not ready', () => {
    expect(next([step(1), step(2, 'step_1', 'once'), step(3)])).toEqual([1, 3]);
  });
});
