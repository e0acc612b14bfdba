import type { Tool } from 'agent-machines';
import type { ModelsByTask } from 'agent-machines/models';
import type { PlanExecuteRuleInputs } from './rule-inputs.ts';

/** What the nodes work with. */
export interface PlanExecuteServices extends Pick<ModelsByTask<PlanExecuteRuleInputs>, 'modelFor' | 'maxRepairs'> {
  /** Every tool of this workflow, unavailable ones included. */
  readonly tools: readonly Tool[];
  readonly execution: 'auto' | 'sequential';
  readonly concurrency: number;
  readonly maxSteps: number;
  readonly allowEgress: boolean;
}

/** What a model is asked for. */
export type PlanExecuteTask = keyof PlanExecuteRuleInputs;
