import type { Tool } from 'agent-machines';
import { cutToTokens } from 'agent-machines/memory';
import type { ToolAgentState } from './state.ts';

/** Inputs of the rules, by task. Each holds the data that the task's prompt is made from. */
export interface ToolAgentRuleInputs {
  readonly 'tool_agent.agent': Pick<ToolAgentState, 'input' | 'history' | 'currentDatetime' | 'messages'> & {
    /** Names of the tools that may be called now. */
    readonly tools: readonly string[];
    readonly unavailable: readonly { readonly name: string; readonly reason: string }[];
    /** True if the answer needs a form. Rules cannot produce one. */
    readonly hasForm: boolean;
  };
}

/** Limit for rules, which read more slowly than models. */
const maxInputTokens = 40_000;

/** Returns the part of a state that the rules read, with the available tools, and the reasons why the others are unavailable. */
export const turnInput = (
  { input, history, currentDatetime, messages }: ToolAgentState,
  callable: readonly Tool[],
  unavailable: readonly Tool[],
  hasForm: boolean,
): ToolAgentRuleInputs['tool_agent.agent'] => ({
  input: cutToTokens(input, maxInputTokens),
  history,
  currentDatetime,
  messages,
  tools: callable.map(({ name }) => name),
  unavailable: unavailable.map(({ name, unavailable: reason = '' }) => ({ name, reason })),
  hasForm,
});
