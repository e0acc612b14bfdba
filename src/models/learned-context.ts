import type { ChatModel } from '../core/ports/chat-model.ts';

/** Context of a model, learned from its errors. */
export interface LearnedContext {
  /** Maximum number of tokens of request and reply together. */
  readonly contextTokens: number;
  /** Number of tokens that the provider reserves for a reply without an explicit limit. */
  readonly replyTokens?: number;
}

const learned = new WeakMap<ChatModel, LearnedContext>();

/** Returns the smaller of the configured and the learned limit; kept for the lifetime of the model. */
export function learnedContext(model: ChatModel, contextTokens: number): LearnedContext {
  const known = learned.get(model);
  return known && known.contextTokens < contextTokens ? known : { ...known, contextTokens };
}

export const learnContext = (model: ChatModel, context: LearnedContext): void => void learned.set(model, context);
