import type { ChatMessage } from '../ports/chat-model.ts';

const repairs = new WeakSet<ChatMessage>();

/**
 * Message in the user's name that asks a model to repair its reply. A guard of the user's words skips it: it is not new at `request`.
 *
 * @example messages: [...messages, { role: 'assistant', content: text }, repairMessage('Answer again in JSON.')]
 */
export function repairMessage(content: string): ChatMessage {
  const message: ChatMessage = { role: 'user', content };
  repairs.add(message);
  return message;
}

export const isRepair = (message: ChatMessage): boolean => repairs.has(message);
