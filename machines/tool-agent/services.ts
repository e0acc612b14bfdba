import type { Json, StandardSchema, Tool } from 'agent-machines';
import type { ModelsByTask } from 'agent-machines/models';
import type { StepSettings, StopCondition } from 'agent-machines/tools';
import type { ToolAgentRuleInputs } from './rule-inputs.ts';
import type { ToolAgentState } from './state.ts';

/** Dependencies of the nodes. */
export interface ToolAgentServices extends Pick<ModelsByTask<ToolAgentRuleInputs>, 'modelFor'> {
  /** Makes the instructions of a run from its context. */
  instructions(context: Json | undefined): string;
  /** Settings of the step that begins with this state. */
  prepareStep(state: ToolAgentState): StepSettings;
  /** Conditions that end the run after a step's calls. */
  readonly stopWhen: readonly StopCondition[];
  /** All tools of this workflow, unavailable ones included. */
  readonly tools: readonly Tool[];
  /** Schema of the answer. Absent: text. */
  readonly schema?: StandardSchema<unknown>;
  /** Maximum number of repeated model calls after an answer of the wrong form. */
  readonly maxRepairs: number;
  readonly allowEgress: boolean;
  readonly allowTargets: readonly string[];
}

/** Names of the tasks that a model answers. */
export type ToolAgentTask = keyof ToolAgentRuleInputs;

const tasks = {
  'tool_agent.agent': true,
} satisfies Record<ToolAgentTask, true>;

export const toolAgentTasks: readonly string[] = Object.keys(tasks);
