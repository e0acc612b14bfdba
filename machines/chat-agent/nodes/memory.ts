import type { NodeHandler, NodeIo } from 'agent-machines';
import { cutAllToTokens, planWindow, recallTokens, requestTokens, type Summarizer } from 'agent-machines/memory';
import { askModel } from 'agent-machines/models';
import { summaryPrompt } from '../prompts.ts';
import { outOfSight } from '../search-conversation.ts';
import type { ChatAgentServices } from '../services.ts';
import { type ChatAgentState, noTokens, type TokenAccount } from '../state.ts';
import { summaryRequest } from './tokens.ts';

/**
 * Multiple of `maxMessages` that the window may reach while summaries fail. Beyond it, rules write the summary, so the window cannot grow
 * without limit.
 */
const patience = 4;

/** Summarizes old messages if there are too many, with one model call; otherwise makes none. If the summary fails, the messages stay. */
export const memory =
  (services: ChatAgentServices): NodeHandler<ChatAgentState> =>
  async (state, io) => {
    const { window } = state;
    const { window: settings } = services;
    if (planWindow(window, settings).kind === 'keep') return { tokens: noTokens, ...(await found(state)) };
    let tokens = noTokens;
    const model = modelSummarizer(services, io, (account) => {
      tokens = account;
    });
    const { extractiveSummarizer, slideWindow } = await import('../summarize-window.ts');
    let step = await slideWindow({ state: window, summarizer: model, settings, signal: io.signal });
    if (step.kind === 'failed') {
      io.emit({ type: 'thinking', step: 'memory', content: { summarized: 0, error: step.error.message } });
      if (window.messages.length < (settings.maxMessages ?? 10) * patience) return { tokens, ...(await found(state)) };
      step = await slideWindow({ state: window, summarizer: extractiveSummarizer(), settings, signal: io.signal });
    }
    if (step.kind !== 'summarized') return { tokens, ...(await found(state)) };
    const { text, messageIds, by } = step.summary;
    io.emit({
      type: 'thinking',
      step: 'memory',
      content: { summarized: messageIds.length, by, summary: text, dropped: step.dropped.length },
    });
    return { window: step.state, tokens, ...(await found({ ...state, window: step.state })) };
  };

/** Recalls the messages about the question that have left the window. */
async function found(state: ChatAgentState): Promise<Partial<ChatAgentState>> {
  const { input, window, timeZone } = state;
  const transcript = outOfSight(state);
  if (transcript.length === 0) return {};
  const most = recallTokens(window.summarizedTokens);
  const { recall } = await import('../recall.ts');
  const { text } = recall({ query: input, transcript, maxTokens: asks.test(input) ? most : Math.floor(most * shareOfStatement), timeZone });
  return text === '' ? {} : { recalled: text };
}

/** Share of the recall budget for a message that asks nothing. */
const shareOfStatement = 1 / 3;
const asks =
  /[?？]|(?:까|나요|니|지|더라|래|줘|주세요)[.~!\s]*$|뭐|누구|언제|어디|얼마|어느|어떤|몇|^\s*(?:what|who|whom|whose|when|where|which|why|how|do|does|did|is|are|was|were|can|could|would|should|will|tell|remind|show|find|list)\b/iu;

/** Summarizes with the model of the task `chat_agent.memory`. */
const modelSummarizer = (
  { modelFor, contextTokensFor }: ChatAgentServices,
  io: NodeIo,
  spend: (account: TokenAccount) => void,
): Summarizer => ({
  async summarize({ messages, facts, maxChars }) {
    const task = 'chat_agent.memory';
    const room = Math.floor(requestTokens(contextTokensFor(task)) * 0.7);
    const prompt = summaryPrompt(messages, facts, maxChars, (texts) => cutAllToTokens(texts, room));
    spend(summaryRequest(prompt));
    return (await askModel(modelFor(task, { messages, maxChars }), { task, messages: prompt }, { io })).text;
  },
});
