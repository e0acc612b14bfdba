import { type ChatMessage, type NodeHandler, WorkflowError } from 'agent-machines';
import { askWithTools } from 'agent-machines/executor';
import { fitRequest } from 'agent-machines/memory';
import { toModelTools } from 'agent-machines/tools';
import { agentPrompt } from '../prompts.ts';
import { turnInput } from '../rule-inputs.ts';
import { toolsOfTurn } from '../search-conversation.ts';
import type { ChatAgentServices } from '../services.ts';
import type { ChatAgentState } from '../state.ts';
import { conversationRequest } from './tokens.ts';

/** Answers, or asks for tools. One model call, streamed. When the rounds are spent it must answer; if it does not, the run is stopped. */
export const agent =
  ({ modelFor, contextTokensFor, instructions, tools }: ChatAgentServices): NodeHandler<ChatAgentState> =>
  async (state, io) => {
    const granted = toolsOfTurn(state, tools);
    const unavailable = tools.filter((tool) => tool.unavailable !== undefined);
    const mayCall = state.toolRounds < state.maxToolRounds;
    const task = 'chat_agent.agent';
    const contextTokens = contextTokensFor(task);
    const parts = { instructions, tools: granted, unavailable, contextTokens };
    const asked = { task, messages: agentPrompt(state, parts), tools: toModelTools(granted) };
    const model = modelFor(task, {
      ...turnInput(state),
      tools: mayCall ? granted.map(({ name }) => name) : [],
      unavailable: unavailable.map(({ name, unavailable: reason = '' }) => ({ name, reason })),
    });
    const { messages } = fitRequest(asked, contextTokens, model.maxOutputTokens);
    const turn = await askWithTools(model, { task, messages }, { io, tools: granted, mayCall });
    const whole = agentPrompt({ ...state, recalled: '', window: { ...state.window, summaries: [], facts: [] } }, parts);
    const tokens = conversationRequest(messages, whole, state.window);
    const { text, taint } = turn;
    const turnMessages = turn.messages.map((message, index) => toWindow(state, message, index));
    if (turn.kind === 'answer') return { answer: text, turnMessages, pendingCalls: [], tokens, taint };
    if (!mayCall) {
      throw new WorkflowError({
        code: 'LIMIT_EXCEEDED',
        message: `The model still asks for tools after ${state.maxToolRounds} rounds.`,
        hint: 'Ask for less at once.',
      });
    }
    return { pendingCalls: turn.calls, turnMessages, toolRounds: state.toolRounds + 1, tokens, taint };
  };

/** A message of this turn, with its own id. */
export const toWindow = ({ turnId, turnMessages }: ChatAgentState, message: ChatMessage, offset = 0) => ({
  id: `${turnId}/${turnMessages.length + offset + 1}`,
  message,
});
