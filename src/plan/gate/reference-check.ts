import { escapePointer } from '../../core/util/json-pointer.ts';
import type { PlanIssueCode, PlanStep } from './plan.ts';
import { parseReference } from './step-reference.ts';

export interface CompletedStep {
  readonly step_id: number;
  readonly status: 'success' | 'failure';
}

export type Report = (code: PlanIssueCode, path: string, message: string) => void;

/** Checks that every referenced step has run, or will have run before. */
export class ReferenceCheck {
  readonly #completed: ReadonlyMap<number, CompletedStep['status']>;
  readonly #position: ReadonlyMap<number, number>;
  /** For each step, the positions of the steps it refers to; computed once, because a step may repeat a reference a thousand times. */
  readonly #needs: readonly ReadonlySet<number>[];

  constructor(steps: readonly PlanStep[], completed: readonly CompletedStep[]) {
    this.#completed = new Map(completed.map(({ step_id, status }) => [step_id, status]));
    this.#position = new Map(steps.map(({ step_id }, index) => [step_id, index]));
    this.#needs = steps.map((step) => new Set(referencesOf(step, '').flatMap(([text]) => this.#position.get(stepIdOf(text)) ?? [])));
  }

  check(step: PlanStep, index: number, path: string, report: Report): void {
    for (const [text, at] of referencesOf(step, path)) {
      const stepId = stepIdOf(text);
      const target = this.#position.get(stepId);
      const status = this.#completed.get(stepId);
      if (stepId === step.step_id) report('REFERENCE_SELF', at, 'is the step itself');
      else if (target !== undefined && target < index) continue;
      else if (target !== undefined) {
        if (this.#reaches(target, index, new Set())) report('CYCLE', at, `is step ${stepId}, which depends on this one`);
        else report('REFERENCE_LATER', at, `is step ${stepId}, a later step`);
      } else if (status === 'failure') report('REFERENCE_FAILED', at, `is step ${stepId}, which has failed`);
      else if (status === undefined) report('REFERENCE_MISSING', at, `is step ${stepId}, which does not exist`);
    }
  }

  #reaches(from: number, to: number, seen: Set<number>): boolean {
    if (from === to) return true;
    if (seen.has(from)) return false;
    seen.add(from);
    return [...(this.#needs[from] ?? [])].some((next) => this.#reaches(next, to, seen));
  }
}

const stepIdOf = (reference: string): number => parseReference(reference)?.stepId ?? 0;

function referencesOf({ input_from: from }: PlanStep, path: string): readonly (readonly [text: string, path: string])[] {
  if (from === undefined) return [];
  if (typeof from === 'string') return [[from, `${path}/input_from`]];
  return Object.entries(from).map(([name, text]) => [text, `${path}/input_from/${escapePointer(name)}`]);
}
