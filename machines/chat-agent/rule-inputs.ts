import type { ChatMessage } from 'agent-machines';
import { cutToTokens } from 'agent-machines/memory';
import type { ChatAgentState } from './state.ts';

type TurnInput = Pick<ChatAgentState, 'input' | 'window' | 'route' | 'context' | 'turnMessages' | 'currentDatetime'>;

/** What the rules for each task read, when rules answer it instead of a model: what its prompt is made from. */
export interface ChatAgentRuleInputs {
  readonly 'chat_agent.router': TurnInput & { readonly hasDocuments: boolean };
  readonly 'chat_agent.memory': { readonly messages: readonly ChatMessage[]; readonly maxChars: number };
  readonly 'chat_agent.agent': TurnInput & {
    /** Names of the tools that may be called now. */
    readonly tools: readonly string[];
    readonly unavailable: readonly { readonly name: string; readonly reason: string }[];
  };
}

/** The part of a state that the rules read. */
export const turnInput = ({ input, window, route, context, turnMessages, currentDatetime }: ChatAgentState): TurnInput => ({
  input: cutToTokens(input, maxInputTokens),
  window,
  route,
  context,
  turnMessages,
  currentDatetime,
});

/** Rules read more slowly than models. */
const maxInputTokens = 20_000;
