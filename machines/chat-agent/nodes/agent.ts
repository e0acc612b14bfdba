import { asJson, type ChatMessage, type NodeHandler, WorkflowError } from 'agent-machines';
import type { Citation } from 'agent-machines/contracts';
import { fitRequest } from 'agent-machines/memory';
import { answersInKorean } from 'agent-machines/search';
import {
  answerLinks,
  askWithTools,
  checkSources,
  describeUnconfirmed,
  sourcesRepairPrompt,
  type ToolTurn,
  toModelTools,
} from 'agent-machines/tools';
import { agentPrompt } from '../prompts.ts';
import { turnInput } from '../rule-inputs.ts';
import { toolsOfTurn } from '../search-conversation.ts';
import type { ChatAgentServices } from '../services.ts';
import { addTokens, type ChatAgentState } from '../state.ts';
import { conversationRequest, plainRequest } from './tokens.ts';

/** Answers or calls tools, with one streamed model call. Once the rounds are used up it must answer; otherwise the run stops. */
export const agent =
  ({ modelFor, contextTokensFor, instructions, tools, allowTargets }: ChatAgentServices): NodeHandler<ChatAgentState> =>
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
    const links = answerLinks(state.taint, allowTargets);
    const first = await askWithTools(model, { task, messages }, { io, tools: granted, mayCall, ...links });
    let turn = first;
    let wrong = wrongCitations(first, state);
    let repair: readonly ChatMessage[] = [];
    if (wrong.length > 0) {
      io.emit({ type: 'thinking', step: 'checking_citations', content: asJson(wrong) });
      io.emit({ type: 'step-reset' });
      repair = sourcesRepairPrompt(first.text, wrong);
      const again = fitRequest(
        { task, messages: [...asked.messages, ...repair], tools: asked.tools },
        contextTokens,
        model.maxOutputTokens,
      );
      const second = await askWithTools(model, { task, messages: again.messages }, { io, tools: granted, mayCall: false, ...links });
      // a reply that calls tools is no answer
      if (second.kind === 'answer') turn = second;
      wrong = wrongCitations(turn, state);
    }
    const whole = agentPrompt({ ...state, recalled: '', window: { ...state.window, summaries: [], facts: [] } }, parts);
    const once = conversationRequest(messages, whole, state.window);
    const tokens = repair.length === 0 ? once : addTokens(once, plainRequest([...messages, ...repair]));
    const note = describeUnconfirmed(wrong, answersInKorean(state.input));
    const remark = note === '' ? '' : `\n\n${note}`;
    if (remark !== '') io.emit({ type: 'token', text: remark });
    const turnMessages = turn.messages.map((message, index) =>
      toWindow(state, { ...message, content: message.content + (index === turn.messages.length - 1 ? remark : '') }, index),
    );
    if (turn.kind === 'answer') return { answer: turn.text + remark, turnMessages, pendingCalls: [], tokens };
    if (!mayCall) {
      throw new WorkflowError({
        code: 'LIMIT_EXCEEDED',
        message: `The model still calls tools after ${state.maxToolRounds} rounds.`,
        hint: 'Ask for less in one message.',
      });
    }
    return { pendingCalls: turn.calls, turnMessages, toolRounds: state.toolRounds + 1, tokens };
  };

/**
 * Returns the quotations and names of documents in an answer that the passages do not confirm. An answer without passages is not checked.
 */
function wrongCitations({ kind, text }: ToolTurn, state: ChatAgentState): readonly Citation[] {
  const { context, input, recalled, window, turnMessages } = state;
  if (kind !== 'answer' || context.length === 0) return [];
  const sources = context.map((passage) => ({ name: passage.source, text: `${passage.heading}\n${passage.text}` }));
  const said = [...window.messages, ...turnMessages].map(({ message }) => message.content);
  const background = [input, recalled, ...window.summaries.map(({ text }) => text), ...window.facts.map(({ text }) => text), ...said];
  return checkSources(text, { sources, background }).filter(({ status }) => status !== 'supported');
}

/** Converts a message of this turn to a window message with its own id. */
export const toWindow = ({ turnId, turnMessages }: ChatAgentState, message: ChatMessage, offset = 0) => ({
  id: `${turnId}/${turnMessages.length + offset + 1}`,
  message,
});
