import { type ChatMessage, type NodeHandler, WorkflowError } from 'agent-machines';
import { taintOfOffer } from 'agent-machines/executor';
import { askModel, assistantMessage } from 'agent-machines/models';
import { toModelTools, usableTools } from 'agent-machines/tools';
import { agentPrompt } from '../prompts.ts';
import { turnInput } from '../rule-inputs.ts';
import type { ChatAgentServices } from '../services.ts';
import type { ChatAgentState } from '../state.ts';
import { conversationRequest } from './tokens.ts';

/** Answers, or asks for tools. One model call, streamed. When the rounds are spent it must answer; if it does not, the run is stopped. */
export const agent =
  ({ modelFor, tools }: ChatAgentServices): NodeHandler<ChatAgentState> =>
  async (state, io) => {
    const granted = usableTools(tools, state.availableTools);
    const unavailable = tools.filter((tool) => tool.unavailable !== undefined);
    const mayCall = state.toolRounds < state.maxToolRounds;
    const messages = agentPrompt(state, granted, unavailable);
    const task = 'chat_agent.agent';
    const model = modelFor(task, {
      ...turnInput(state),
      tools: mayCall ? granted.map(({ name }) => name) : [],
      unavailable: unavailable.map(({ name, unavailable: reason = '' }) => ({ name, reason })),
    });
    const reply = await askModel(
      model,
      {
        task,
        messages,
        tools: toModelTools(granted),
        toolChoice: mayCall ? 'auto' : 'none',
      },
      { io, stream: true },
    );
    const whole = agentPrompt({ ...state, window: { ...state.window, summaries: [], facts: [] } }, granted, unavailable);
    const tokens = conversationRequest(messages, whole, state.window);
    const taint = taintOfOffer(granted); // a tool's description may have influenced an answer, too
    const turnMessages = [toWindow(state, assistantMessage(reply))];
    if (reply.toolCalls.length === 0) return { answer: reply.text, turnMessages, pendingCalls: [], tokens, taint };
    if (!mayCall) {
      throw new WorkflowError({
        code: 'LIMIT_EXCEEDED',
        message: `The model still asks for tools after ${state.maxToolRounds} rounds.`,
        hint: 'Ask for less at once.',
      });
    }
    const pendingCalls = reply.toolCalls.map(({ id, name, arguments: args }) => ({ id, name, arguments: args }));
    return { pendingCalls, turnMessages, toolRounds: state.toolRounds + 1, tokens, taint };
  };

/** A message of this turn, with its own id. */
export const toWindow = ({ turnId, turnMessages }: ChatAgentState, message: ChatMessage, offset = 0) => ({
  id: `${turnId}/${turnMessages.length + offset + 1}`,
  message,
});
