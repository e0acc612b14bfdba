import type { PlanStep } from '../plan/plan.ts';
import { parseReference } from '../util/step-reference.ts';

export interface ScheduleState {
  /** Steps that are not finished and have not been started, in plan order. */
  readonly remaining: readonly PlanStep[];
  /** Ids of steps that have succeeded. */
  readonly succeeded: ReadonlySet<number>;
  /** How many steps are at work. */
  readonly running: number;
}

export interface ScheduleRules {
  readonly execution: 'auto' | 'sequential';
  readonly concurrency: number;
  readonly isOnce: (step: PlanStep) => boolean;
}

/** Which steps may start now, in plan order. Pure. */
export function nextSteps(
  { remaining, succeeded, running }: ScheduleState,
  { execution, concurrency, isOnce }: ScheduleRules,
): readonly PlanStep[] {
  const ready = remaining.filter((step) => dependenciesOf(step).every((id) => succeeded.has(id)));
  if (execution === 'sequential' || ready.some(isOnce)) return running === 0 ? ready.slice(0, 1) : [];
  return ready.slice(0, Math.max(0, concurrency - running));
}

/** The steps whose output a step needs. */
export function dependenciesOf({ input_from: from }: PlanStep): readonly number[] {
  const texts = from === undefined ? [] : typeof from === 'string' ? [from] : Object.values(from);
  return texts.flatMap((text) => parseReference(text)?.stepId ?? []);
}
