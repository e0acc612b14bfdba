import type { ChatMessage } from 'agent-machines';
import { cutToTokens, type TranscriptMessage, type WindowMessage } from 'agent-machines/memory';
import { outOfSight } from './search-conversation.ts';
import type { ChatAgentState } from './state.ts';

type TurnInput = Pick<
  ChatAgentState,
  'input' | 'window' | 'transcript' | 'timeZone' | 'route' | 'context' | 'turnMessages' | 'currentDatetime'
>;

/** Inputs of the rules, by task. Each holds the data that the task's prompt is made from. */
export interface ChatAgentRuleInputs {
  readonly 'chat_agent.router': TurnInput & { readonly hasDocuments: boolean };
  readonly 'chat_agent.memory': { readonly messages: readonly ChatMessage[]; readonly maxChars: number };
  readonly 'chat_agent.agent': TurnInput & {
    /** Names of the tools that may be called now. */
    readonly tools: readonly string[];
    readonly unavailable: readonly { readonly name: string; readonly reason: string }[];
  };
}

/** Returns the part of a state that the rules read. Rules are no language model, so their window has the whole conversation. */
export const turnInput = (state: ChatAgentState): TurnInput => ({
  input: cutToTokens(state.input, maxInputTokens),
  window: { ...state.window, messages: [...outOfSight(state).flatMap(toWindowMessage), ...state.window.messages] },
  transcript: state.transcript,
  timeZone: state.timeZone,
  route: state.route,
  context: state.context,
  turnMessages: state.turnMessages,
  currentDatetime: state.currentDatetime,
});

/** Limit for rules, which read more slowly than models. */
const maxInputTokens = 20_000;

const toWindowMessage = ({ id, role, text }: TranscriptMessage): readonly WindowMessage[] =>
  role === 'tool' ? [] : [{ id, message: { role, content: text } }];
