import type { Retriever, Tool } from 'agent-machines';
import type { WindowSettings } from 'agent-machines/memory';
import type { ModelsByTask } from 'agent-machines/models';
import type { ChatAgentRuleInputs } from './rule-inputs.ts';

/** Dependencies of the nodes. */
export interface ChatAgentServices extends Pick<ModelsByTask<ChatAgentRuleInputs>, 'modelFor' | 'contextTokensFor' | 'maxRepairs'> {
  /** Instructions of the model: its role and its task. */
  readonly instructions: string;
  /** Source of documents. Absent: no documents. */
  readonly retriever?: Retriever;
  /** Maximum number of passages per question. */
  readonly ragLimit: number;
  /** All tools of this workflow, unavailable ones included. */
  readonly tools: readonly Tool[];
  readonly window: WindowSettings;
  readonly allowEgress: boolean;
  readonly allowTargets: readonly string[];
}

/** Names of the tasks that a model answers. */
export type ChatAgentTask = keyof ChatAgentRuleInputs;

const tasks = {
  'chat_agent.router': true,
  'chat_agent.memory': true,
  'chat_agent.agent': true,
} satisfies Record<ChatAgentTask, true>;

export const chatAgentTasks: readonly string[] = Object.keys(tasks);
