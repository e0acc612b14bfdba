import { cutToTokens } from '../../models/tokens/cut-to-tokens.ts';
import type { WindowMessage } from './window-message.ts';

/** A message of a searchable conversation. A type rather than an interface, so that it is assignable to `Json`. */
export type TranscriptMessage = {
  /** Id of its `WindowMessage`. */
  readonly id: string;
  readonly role: 'user' | 'assistant' | 'tool';
  readonly text: string;
  /** Time of the message, in milliseconds since 1970. */
  readonly at: number;
  /** Name of the speaker, if the role is not enough. It is searched, and shown instead of the role. */
  readonly speaker?: string;
};

export interface TranscriptSettings {
  /** Maximum number of characters (UTF-16 units) of all messages together; the oldest are evicted first. @default 1_000_000 */
  readonly maxChars?: number;
}

/** Maximum number of tokens of one message; of a pasted book, only the beginning and the end are searchable. */
const maxMessageTokens = 8_000;
/** Maximum number of tokens of a tool result; the answer already contains what mattered. */
const maxToolTokens = 300;

/** Appends messages to a transcript, in order. Messages without text are left out; long ones are cut. */
export function addToTranscript(
  transcript: readonly TranscriptMessage[],
  messages: readonly WindowMessage[],
  at: number,
  { maxChars = 1_000_000 }: TranscriptSettings = {},
): readonly TranscriptMessage[] {
  const added = messages.flatMap(({ id, message: { role, content } }): readonly TranscriptMessage[] =>
    role === 'system' || content.trim() === ''
      ? []
      : [{ id, role, text: cutToTokens(content.trim(), role === 'tool' ? maxToolTokens : maxMessageTokens), at }],
  );
  const all = [...transcript, ...added];
  let chars = 0;
  const first = all.findLastIndex(({ text }) => {
    chars += text.length;
    return chars > maxChars;
  });
  return first < 0 ? all : all.slice(first + 1);
}
