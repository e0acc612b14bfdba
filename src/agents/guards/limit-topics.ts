import type { ChatMessage } from '../../core/ports/chat-model.ts';
import type { TextGuard } from '../../core/ports/text-guard.ts';

export interface LimitTopicsOptions {
  /** Returns true for a message about an allowed topic. It may ask a model. */
  readonly isAllowed: (
    text: string,
    context: { readonly messages: readonly ChatMessage[]; readonly signal: AbortSignal },
  ) => boolean | Promise<boolean>;
  /** Stored as the reason. @default 'another topic' */
  readonly reason?: string;
  /** @default 'limit-topics' */
  readonly name?: string;
}

/**
 * Guard that stops a run at a user's message about another topic, before the model is asked. Each message is checked once per turn, by a
 * check of your own.
 *
 * @example limitTopics({ isAllowed: (text) => /bicycle|자전거/i.test(text) })
 */
export const limitTopics = ({ isAllowed, reason = 'another topic', name = 'limit-topics' }: LimitTopicsOptions): TextGuard => ({
  name,
  at: ['request'],
  async check(text, { exchange, message, isNew, signal }) {
    if (message?.role !== 'user' || !isNew) return { as: 'pass' };
    const allowed = await isAllowed(text, { messages: exchange?.messages ?? [], signal });
    return allowed === true ? { as: 'pass' } : { as: 'stop', reason };
  },
});
