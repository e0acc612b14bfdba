import type { ChatMessage, ChatReply } from '../core/ports/chat-model.ts';

export type AssistantMessage = Extract<ChatMessage, { readonly role: 'assistant' }>;

/**
 * Builds the message that stores a reply in a conversation: its text, its calls, and its provider data.
 *
 * @example messages.push(assistantMessage(await askModel(model, { task, messages, tools }, { io })));
 */
export function assistantMessage({
  text,
  toolCalls,
  providerData,
}: Pick<ChatReply, 'text' | 'toolCalls' | 'providerData'>): AssistantMessage {
  const calls = toolCalls.map(({ id, name, arguments: argsText }) => ({ id, name, arguments: argsText }));
  return {
    role: 'assistant',
    content: text,
    ...(calls.length > 0 ? { toolCalls: calls } : {}),
    ...(providerData ? { providerData } : {}),
  };
}
