import type { ChatMessage } from 'agent-machines';
import { estimateMessageTokens, type WindowState } from 'agent-machines/memory';
import type { TokenAccount } from '../state.ts';

const tokensOf = (messages: readonly ChatMessage[]): number => messages.reduce((sum, message) => sum + estimateMessageTokens(message), 0);

/** Tokens of a request that would be the same without a window. */
export function plainRequest(messages: readonly ChatMessage[]): TokenAccount {
  const tokens = tokensOf(messages);
  return { sent: tokens, full: tokens };
}

/** Tokens of a request that includes the conversation. Without a window, it would hold the messages that the summaries replace. */
export const conversationRequest = (
  messages: readonly ChatMessage[],
  withoutSummaries: readonly ChatMessage[],
  { summarizedTokens }: WindowState,
): TokenAccount => ({ sent: tokensOf(messages), full: tokensOf(withoutSummaries) + summarizedTokens });

/** Tokens of a request that exists only because of the window. */
export const summaryRequest = (messages: readonly ChatMessage[]): TokenAccount => ({ sent: tokensOf(messages), full: 0 });
