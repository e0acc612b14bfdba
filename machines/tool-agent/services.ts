import type { StandardSchema, Tool } from 'agent-machines';
import type { ModelsByTask } from 'agent-machines/models';
import type { ToolAgentRuleInputs } from './rule-inputs.ts';

/** What the nodes work with. */
export interface ToolAgentServices extends Pick<ModelsByTask<ToolAgentRuleInputs>, 'modelFor'> {
  /** What the model is told to be and to do. */
  readonly instructions: string;
  /** Every tool of this workflow, unavailable ones included. */
  readonly tools: readonly Tool[];
  /** What the answer must be; absent: text. */
  readonly schema?: StandardSchema<unknown>;
  /** How often the model is asked again when its answer is not of that form. */
  readonly maxRepairs: number;
  readonly allowEgress: boolean;
  readonly allowTargets: readonly string[];
}

/** What a model is asked for. */
export type ToolAgentTask = keyof ToolAgentRuleInputs;

const tasks = {
  'tool_agent.agent': true,
} satisfies Record<ToolAgentTask, true>;

export const toolAgentTasks: readonly string[] = Object.keys(tasks);
