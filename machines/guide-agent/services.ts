import type { Tool } from 'agent-machines';
import type { LongTermMemory } from 'agent-machines/memory';
import type { ModelsByTask } from 'agent-machines/models';
import type { KnowledgeBase } from './knowledge-base.ts';

/** What the nodes work with. */
export interface GuideAgentServices extends Pick<ModelsByTask<GuideAgentTask>, 'modelFor'> {
  readonly knowledge: KnowledgeBase;
  /** The tools of a run: its memory tools act for its user. */
  readonly toolsFor: (userId: string) => readonly Tool[];
  /** What is known of users; absent: nothing is remembered. */
  readonly memory?: LongTermMemory;
  readonly allowEgress: boolean;
}

/** What a model is asked for. */
export type GuideAgentTask =
  | 'guide_agent.llm_router'
  | 'guide_agent.planning_node'
  | 'guide_agent.recommend_tool_node'
  | 'guide_agent.guide_generation_node'
  | 'guide_agent.reflection_node';
