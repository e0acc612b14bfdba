import { createRuntime } from 'agent-machines';
import { type ChatAgentRuleInputs, chatAgent } from 'agent-machines/machines/chat-agent';
import { estimateMessageTokens, estimateTokens, summarizeExtractively, type WindowSettings } from 'agent-machines/memory';
import type { RuleModel } from 'agent-machines/models';
import { type MessageSize, messageSizes, textOf } from './conversation.ts';

/** What one conversation has cost, in estimated tokens. */
export interface ConversationCost {
  readonly turns: number;
  readonly size: MessageSize;
  readonly window: boolean;
  /** Everything that was sent to a model, summaries' and router's requests included. */
  readonly sentTokens: number;
  /** Of these, what the summaries cost. */
  readonly summaryTokens: number;
  readonly summaryCalls: number;
  /** What the last turn's answer was asked with. */
  readonly lastRequestTokens: number;
}

const summaryTokens = 150;

/** Holds a conversation with the real workflow, and counts what a model would have been sent. */
export async function measureConversation(turns: number, size: MessageSize, window: boolean): Promise<ConversationCost> {
  const cost = { sent: 0, summaries: 0, summaryCalls: 0, last: 0 };
  let turn = 0;
  const model: RuleModel = {
    name: 'counting',
    takesRuleInput: true,
    async generate({ task, messages }, ruleInput) {
      const tokens = messages.reduce((sum, message) => sum + estimateMessageTokens(message), 0);
      cost.sent += tokens;
      if (task === 'chat_agent.memory') {
        cost.summaries += tokens;
        cost.summaryCalls += 1;
      }
      if (task === 'chat_agent.agent') cost.last = tokens;
      return {
        text: replyTo(task, ruleInput?.(), turn, size),
        toolCalls: [],
        usage: { inputTokens: tokens, outputTokens: 0 },
        model: 'counting',
        cached: false,
      };
    },
  };
  const wide: WindowSettings = { maxMessages: 1_000_000, keepRecent: 999_999 };
  const workflow = chatAgent({ model, tools: [], ...(window ? {} : { window: wide, contextTokens: 100_000_000 }) });
  const runtime = createRuntime();
  for (turn = 1; turn <= turns; turn++) {
    const result = await runtime.start(workflow, { input: textOf(messageSizes[size], turn * 2) }, { threadId: 't' }).result;
    if (result.status !== 'done' || result.finalState !== 'done') throw new Error(`Turn ${turn} did not finish: ${JSON.stringify(result)}`);
  }
  const thread = await runtime.thread('t');
  if (!window && cost.summaryCalls > 0) throw new Error('The conversation without a window was summarized.');
  if (thread.turns.length !== turns) throw new Error(`The thread has ${thread.turns.length} turns.`);
  return {
    turns,
    size,
    window,
    sentTokens: cost.sent,
    summaryTokens: cost.summaries,
    summaryCalls: cost.summaryCalls,
    lastRequestTokens: cost.last,
  };
}

/** A route, a summary of about 150 tokens, or an answer as long as the question. */
function replyTo(task: string, ruleInput: unknown, turn: number, size: MessageSize): string {
  if (task === 'chat_agent.router') return '{"route":"agent","reason":"talk"}';
  if (task === 'chat_agent.agent') return textOf(messageSizes[size], turn * 2 + 1);
  const { messages } = ruleInput as ChatAgentRuleInputs['chat_agent.memory'];
  const all = summarizeExtractively(messages, { maxChars: 2_000 });
  let length = all.length;
  while (estimateTokens(all.slice(0, length)) > summaryTokens) length -= 10;
  return all.slice(0, length);
}
