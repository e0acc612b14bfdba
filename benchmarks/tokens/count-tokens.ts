import type { ChatReply, ChatRequest } from 'agent-machines';
import { estimateMessageTokens, estimateTokens } from 'agent-machines/memory';

/** What requests and replies have cost, in estimated tokens. */
export interface TokenCount {
  readonly requests: number;
  readonly sent: number;
  readonly replied: number;
}

export const noTokens: TokenCount = { requests: 0, sent: 0, replied: 0 };

/** Adds one request with all of its messages, the tools that it offers and the schema that it asks for, and its reply. */
export function addExchange(count: TokenCount, { messages, tools = [], output }: ChatRequest, reply: ChatReply): TokenCount {
  const offered = tools.map(({ name, description, inputSchema: parameters }) => ({
    type: 'function',
    function: { name, description, parameters },
  }));
  const schema = output?.type === 'json-schema' ? JSON.stringify(output.schema) : '';
  const sent = messages.reduce((sum, message) => sum + estimateMessageTokens(message), 0);
  return {
    requests: count.requests + 1,
    sent: count.sent + sent + (offered.length > 0 ? estimateTokens(JSON.stringify(offered)) : 0) + estimateTokens(schema),
    replied: count.replied + estimateMessageTokens({ role: 'assistant', content: reply.text, toolCalls: reply.toolCalls }),
  };
}
