import type { ChatMessage } from '../ports/chat-model.ts';

/** All that a message says to a model, calls included. The only place that knows what messages are made of. */
const partsOf = (message: ChatMessage): readonly string[] => [
  message.content,
  ...(message.role === 'assistant' ? (message.toolCalls ?? []).flatMap(({ name, arguments: args }) => [name, args]) : []),
];

export const messageText = (message: ChatMessage): string => partsOf(message).join('\n');

/** Characters (UTF-16 units) of a message, without white space around its parts. */
export const messageChars = (message: ChatMessage): number => partsOf(message).reduce((sum, part) => sum + part.trim().length, 0);
