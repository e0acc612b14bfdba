import type { ChatModel } from '../ports/chat-model.ts';

/** What a model takes, learned from a refusal. */
export interface LearnedContext {
  /** Of request and reply together. */
  readonly contextTokens: number;
  /** What the provider keeps free for a reply, if no bound is sent. */
  readonly replyTokens?: number;
}

const learned = new WeakMap<ChatModel, LearnedContext>();

/** The smaller of what was configured and what the model has refused; kept as long as the model lives. */
export function learnedContext(model: ChatModel, contextTokens: number): LearnedContext {
  const known = learned.get(model);
  return known && known.contextTokens < contextTokens ? known : { ...known, contextTokens };
}

export const learnContext = (model: ChatModel, context: LearnedContext): void => void learned.set(model, context);
