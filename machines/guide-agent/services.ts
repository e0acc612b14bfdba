import type { Tool } from 'agent-machines';
import type { LongTermMemory } from 'agent-machines/memory';
import type { ModelsByTask } from 'agent-machines/models';
import type { Knowledge } from './knowledge-base.ts';
import type { GuideAgentRuleInputs } from './rule-inputs.ts';

/** Dependencies of the nodes. */
export interface GuideAgentServices extends Pick<ModelsByTask<GuideAgentRuleInputs>, 'modelFor' | 'maxRepairs'> {
  readonly knowledge: Knowledge;
  /** Returns the tools of a run. Its memory tools act for its user. */
  readonly toolsFor: (userId: string) => readonly Tool[];
  /** Memories about users. Absent: no memory. */
  readonly memory?: LongTermMemory;
  readonly allowEgress: boolean;
  readonly allowTargets: readonly string[];
}

/** Names of the tasks that a model answers. */
export type GuideAgentTask = keyof GuideAgentRuleInputs;

const tasks = {
  'guide_agent.llm_router': true,
  'guide_agent.planning_node': true,
  'guide_agent.recommend_tool_node': true,
  'guide_agent.guide_generation_node': true,
  'guide_agent.reflection_node': true,
} satisfies Record<GuideAgentTask, true>;

export const guideAgentTasks: readonly string[] = Object.keys(tasks);
