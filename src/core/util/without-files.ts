import { shorten } from '../errors/shorten.ts';
import type { ChatMessage } from '../ports/chat-model.ts';
import type { MessageFile } from '../ports/message-file.ts';

export const maxFileNameLength = 200;

/** Files of a message; only questions and tool results have some. */
export const filesOf = (message: ChatMessage): readonly MessageFile[] =>
  message.role === 'user' || message.role === 'tool' ? (message.files ?? []) : [];

/** Bytes of a file's content. */
export const fileBytes = ({ data }: Pick<MessageFile, 'data'>): number =>
  Math.floor((data.length * 3) / 4) - (data.endsWith('==') ? 2 : data.endsWith('=') ? 1 : 0);

export const filesBytes = (files: readonly MessageFile[]): number => files.reduce((sum, file) => sum + fileBytes(file), 0);

/** Describes a file in place of its content. */
export const describeFile = (file: MessageFile, note = ''): string =>
  `[attached: ${file.name === undefined ? '' : `${shorten(file.name, maxFileNameLength)}, `}${file.mediaType}, ${fileBytes(file)} bytes${note}]`;

/**
 * The message with descriptions in place of its files.
 * @example const { content } = withoutFiles(message); // 'What is it?\n[attached: a.png, image/png, 8 bytes]'
 */
export const withoutFiles = (message: ChatMessage): ChatMessage => withSomeFiles(message, () => false);

/**
 * The message with descriptions in place of the files that do not stay.
 * @param note Where they are instead. Default: for a tool's result, that they are not shown.
 */
export function withSomeFiles(
  message: ChatMessage,
  isKept: (file: MessageFile) => boolean,
  note: string = message.role === 'tool' ? ', not shown' : '',
): ChatMessage {
  if ((message.role !== 'user' && message.role !== 'tool') || message.files === undefined) return message;
  const { files, ...rest } = message;
  const kept = files.filter(isKept);
  const described = files.filter((file) => !kept.includes(file)).map((file) => describeFile(file, note));
  const content = [message.content, ...described].filter((line) => line !== '').join('\n');
  return { ...rest, content, ...(kept.length > 0 ? { files: kept } : {}) };
}
