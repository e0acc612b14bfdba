import { shorten } from '../errors/shorten.ts';
import type { ChatMessage } from '../ports/chat-model.ts';
import type { MessageFile } from '../ports/message-file.ts';

export const maxFileNameLength = 200;

/** Bytes of a file's content. */
export const fileBytes = ({ data }: Pick<MessageFile, 'data'>): number =>
  Math.floor((data.length * 3) / 4) - (data.endsWith('==') ? 2 : data.endsWith('=') ? 1 : 0);

/** Describes a file in place of its content. */
const describeFile = (file: MessageFile): string =>
  `[attached: ${file.name === undefined ? '' : `${shorten(file.name, maxFileNameLength)}, `}${file.mediaType}, ${fileBytes(file)} bytes]`;

/**
 * The message with descriptions in place of its files.
 * @example const { content } = withoutFiles(message); // 'What is it?\n[attached: a.png, image/png, 8 bytes]'
 */
export function withoutFiles(message: ChatMessage): ChatMessage {
  if (message.role !== 'user' || message.files === undefined) return message;
  return { role: 'user', content: [message.content, ...message.files.map(describeFile)].filter((line) => line !== '').join('\n') };
}
