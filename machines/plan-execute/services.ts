import type { Tool } from 'agent-machines';
import type { ModelsByTask } from 'agent-machines/models';
import type { PlanExecuteRuleInputs } from './rule-inputs.ts';

/** Dependencies of the nodes. */
export interface PlanExecuteServices extends Pick<ModelsByTask<PlanExecuteRuleInputs>, 'modelFor' | 'maxRepairs'> {
  /** All tools of this workflow, unavailable ones included. */
  readonly tools: readonly Tool[];
  readonly execution: 'auto' | 'sequential';
  readonly concurrency: number;
  readonly maxSteps: number;
  readonly allowEgress: boolean;
  readonly allowTargets: readonly string[];
}

/** Names of the tasks that a model answers. */
export type PlanExecuteTask = keyof PlanExecuteRuleInputs;

const tasks = {
  'plan_execute.intent_classifier': true,
  'plan_execute.planner': true,
  'plan_execute.replanner': true,
  'plan_execute.final_answer': true,
} satisfies Record<PlanExecuteTask, true>;

export const planExecuteTasks: readonly string[] = Object.keys(tasks);
