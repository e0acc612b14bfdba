import { estimateMessageTokens, estimateTokens } from '../../models/tokens/estimate-tokens.ts';
import { renderSummaries } from './render-summaries.ts';
import type { WindowState } from './window-state.ts';

export interface WindowTokens {
  /** Number of tokens of the summaries, facts and messages in a request. */
  readonly sent: number;
  /** Number of tokens of all messages so far: the size of a request without a window. */
  readonly full: number;
}

/** Estimates the tokens of a conversation with and without its window. */
export function windowTokens(state: WindowState): WindowTokens {
  const visible = state.messages.reduce((sum, { message }) => sum + estimateMessageTokens(message), 0);
  return { sent: visible + estimateTokens(renderSummaries(state)), full: visible + state.summarizedTokens };
}
