import { WorkflowError } from '../core/errors/errors.ts';
import type { ChatMessage } from '../core/ports/chat-model.ts';
import type { MessageFile } from '../core/ports/message-file.ts';
import { checkFields } from '../core/util/check-fields.ts';
import { isObject } from '../core/util/is-object.ts';
import { fileBytes, maxFileNameLength, withoutFiles } from '../core/util/without-files.ts';

export interface MessageFileLimits {
  /** Maximum number of files in one message. @default 8 */
  readonly maxFiles?: number;
  /** Maximum size of all files of a message together, in bytes of their content. @default 4_000_000 */
  readonly maxBytes?: number;
}

const mediaTypes = /^[a-z]+\/[a-z0-9][a-z0-9.+-]{0,100}$/;
// searches for an invalid character: a pattern for the whole text overflows the stack on megabytes
const isBase64 = (data: string): boolean =>
  data !== '' &&
  data.length % 4 === 0 &&
  !/[^A-Za-z0-9+/]/.test(data.slice(0, -2)) &&
  /[A-Za-z0-9+/]{2}$|[A-Za-z0-9+/]=$|==$/.test(data.slice(-2));

/**
 * Validates the files of a user's message: base64 data, media type, and the limits of a message.
 *
 * @throws {WorkflowError} `INPUT_INVALID`, which names the invalid file.
 * @example const files = parseMessageFiles(input.files);
 */
export function parseMessageFiles(value: unknown, { maxFiles = 8, maxBytes = 4_000_000 }: MessageFileLimits = {}): readonly MessageFile[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw invalid('files is not a list');
  if (value.length > maxFiles) throw invalid(`${value.length} files exceed the maximum of ${maxFiles}`);
  const files = value.map(parseFile);
  const bytes = files.reduce((sum, file) => sum + fileBytes(file), 0);
  if (bytes > maxBytes) throw invalid(`files of ${bytes} bytes exceed the maximum of ${maxBytes}`);
  return files;
}

function parseFile(value: unknown, index: number): MessageFile {
  const file = isObject(value) ? value : {};
  checkFields(file, ['mediaType', 'data', 'name'], `/files/${index}`);
  const { mediaType, data, name } = file;
  if (typeof mediaType !== 'string' || !mediaTypes.test(mediaType)) {
    throw invalid(`files[${index}].mediaType is not a media type such as image/png`);
  }
  if (typeof data !== 'string' || !isBase64(data)) {
    throw invalid(`files[${index}].data is not base64`);
  }
  if (name !== undefined && (typeof name !== 'string' || name.length > maxFileNameLength || /\p{Cc}/u.test(name))) {
    throw invalid(`files[${index}].name is not a name of at most ${maxFileNameLength} characters`);
  }
  return { mediaType, data, ...(typeof name === 'string' && name !== '' ? { name } : {}) };
}

const invalid = (what: string): WorkflowError =>
  new WorkflowError({
    code: 'INPUT_INVALID',
    message: `The input was refused: ${what}.`,
    hint: 'Give files as { mediaType, data, name? }, with the content in base64.',
  });

/**
 * Returns the messages with the files that a model supports. An unsupported file of an earlier message becomes text, so that another model
 * can continue the conversation. In the user's last message it is rejected.
 *
 * @param supports True for a file that the provider supports, as far as is known before sending.
 * @throws {WorkflowError} `MODEL_INPUT_UNSUPPORTED`.
 */
export function withSupportedFiles(
  messages: readonly ChatMessage[],
  { model, supports }: { readonly model: string; readonly supports: (file: MessageFile) => boolean },
): readonly ChatMessage[] {
  const last = messages.findLastIndex(({ role }) => role === 'user');
  return messages.map((message, index) => {
    if (message.role !== 'user' || message.files === undefined || message.files.every(supports)) return message;
    const refused = message.files.find((file) => !supports(file));
    if (index === last && refused) throw unsupported(model, refused);
    return withoutFiles(message);
  });
}

/**
 * Keeps the files that fit into `maxBytes`, the newest first, and replaces the others with text. Without this limit, a conversation would
 * carry every picture it ever contained.
 *
 * @param maxBytes Maximum size of all files together, in bytes of their content. @default 4_000_000
 */
export function withFilesWithin<T extends { readonly message: ChatMessage }>(messages: readonly T[], maxBytes = 4_000_000): readonly T[] {
  let left = maxBytes;
  const kept = messages.toReversed().map((one) => {
    const files = one.message.role === 'user' ? (one.message.files ?? []) : [];
    left -= files.reduce((sum, file) => sum + fileBytes(file), 0);
    return files.length === 0 || left >= 0 ? one : { ...one, message: withoutFiles(one.message) };
  });
  return kept.toReversed();
}

const unsupported = (model: string, { mediaType }: Pick<MessageFile, 'mediaType'>): WorkflowError =>
  new WorkflowError({
    code: 'MODEL_INPUT_UNSUPPORTED',
    message: `"${model}" does not support files of the type ${mediaType}.`,
    hint: 'Remove the file, or use a model that supports it.',
    data: { mediaType },
  });
