import type { Tool } from 'agent-machines';
import type { ModelsByTask } from 'agent-machines/models';

/** What the nodes work with. */
export interface PlanExecuteServices extends Pick<ModelsByTask<PlanExecuteTask>, 'modelFor'> {
  /** Every tool of this workflow, unavailable ones included. */
  readonly tools: readonly Tool[];
  readonly execution: 'auto' | 'sequential';
  readonly concurrency: number;
  readonly maxSteps: number;
  readonly allowEgress: boolean;
}

/** What a model is asked for. */
export type PlanExecuteTask =
  | 'plan_execute.intent_classifier'
  | 'plan_execute.planner'
  | 'plan_execute.replanner'
  | 'plan_execute.final_answer';
