import type { Tool } from 'agent-machines';
import type { LongTermMemory } from 'agent-machines/memory';
import type { ModelsByTask } from 'agent-machines/models';
import type { KnowledgeBase } from './knowledge-base.ts';
import type { GuideAgentRuleInputs } from './rule-inputs.ts';

/** What the nodes work with. */
export interface GuideAgentServices extends Pick<ModelsByTask<GuideAgentRuleInputs>, 'modelFor' | 'maxRepairs'> {
  readonly knowledge: KnowledgeBase;
  /** The tools of a run: its memory tools act for its user. */
  readonly toolsFor: (userId: string) => readonly Tool[];
  /** What is known of users; absent: nothing is remembered. */
  readonly memory?: LongTermMemory;
  readonly allowEgress: boolean;
}

/** What a model is asked for. */
export type GuideAgentTask = keyof GuideAgentRuleInputs;
