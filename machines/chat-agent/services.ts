import type { Retriever, Tool } from 'agent-machines';
import type { WindowSettings } from 'agent-machines/memory';
import type { ModelsByTask } from 'agent-machines/models';
import type { ChatAgentRuleInputs } from './rule-inputs.ts';

/** What the nodes work with. */
export interface ChatAgentServices extends Pick<ModelsByTask<ChatAgentRuleInputs>, 'modelFor' | 'contextTokensFor' | 'maxRepairs'> {
  /** What the model is told to be and to do. */
  readonly instructions: string;
  /** Where documents are looked up; absent: there are no documents. */
  readonly retriever?: Retriever;
  /** Passages for one question. */
  readonly ragLimit: number;
  /** Every tool of this workflow, unavailable ones included. */
  readonly tools: readonly Tool[];
  readonly window: WindowSettings;
  readonly allowEgress: boolean;
  readonly allowTargets: readonly string[];
}

/** What a model is asked for. */
export type ChatAgentTask = keyof ChatAgentRuleInputs;

const tasks = {
  'chat_agent.router': true,
  'chat_agent.memory': true,
  'chat_agent.agent': true,
} satisfies Record<ChatAgentTask, true>;

export const chatAgentTasks: readonly string[] = Object.keys(tasks);
