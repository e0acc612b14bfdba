import type { ChatModel, Retriever, Tool } from 'agent-machines';
import type { WindowSettings } from 'agent-machines/memory';

/** What the nodes work with. */
export interface ChatAgentServices {
  /** The model of a task. */
  readonly modelFor: (task: ChatAgentTask) => ChatModel;
  /** Where documents are looked up; absent: nothing is open. */
  readonly retriever?: Retriever;
  /** Passages for one question. */
  readonly ragLimit: number;
  /** Every tool of this workflow, unavailable ones included. */
  readonly tools: readonly Tool[];
  readonly window: WindowSettings;
  readonly allowEgress: boolean;
}

/** What a model is asked for. */
export type ChatAgentTask = 'chat_agent.router' | 'chat_agent.memory' | 'chat_agent.agent';

/** The tools that a run may use. */
export const grantedTools = (tools: readonly Tool[], names: readonly string[]): readonly Tool[] =>
  tools.filter(({ name, unavailable }) => unavailable === undefined && names.includes(name));
