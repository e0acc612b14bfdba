import type { ChatMessage } from '../../core/ports/chat-model.ts';

/** Returns all texts of a message that a model receives, including calls. The only function that knows the parts of messages. */
const partsOf = (message: ChatMessage): readonly string[] => [
  message.content,
  ...(message.role === 'assistant' ? (message.toolCalls ?? []).flatMap(({ name, arguments: argsText }) => [name, argsText]) : []),
];

export const messageText = (message: ChatMessage): string => partsOf(message).join('\n');

/** Number of characters (UTF-16 units) of a message, without white space around its parts. */
export const messageChars = (message: ChatMessage): number => partsOf(message).reduce((sum, part) => sum + part.trim().length, 0);
