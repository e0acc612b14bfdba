import type { ChatModel, Tool } from 'agent-machines';

/** What the nodes work with. */
export interface PlanExecuteServices {
  /** The model of a task. */
  readonly modelFor: (task: PlanExecuteTask) => ChatModel;
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

/** The tools that a run may use. */
export const grantedTools = (tools: readonly Tool[], names: readonly string[]): readonly Tool[] =>
  tools.filter(({ name, unavailable }) => unavailable === undefined && names.includes(name));
