import { cutToTokens } from './cut-to-tokens.ts';
import type { WindowMessage } from './window-message.ts';

/** A message of a conversation as it is kept to be found again. A type and not an interface, so that it is assignable to `Json`. */
export type TranscriptMessage = {
  /** That of its `WindowMessage`. */
  readonly id: string;
  readonly role: 'user' | 'assistant' | 'tool';
  readonly text: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Who said it, where the role is not enough: it is searched, and shown instead of the role. */
  readonly speaker?: string;
};

export interface TranscriptSettings {
  /** Characters (UTF-16 units) of all messages together; the oldest go first. @default 1_000_000 */
  readonly maxChars?: number;
}

/** Of one message: of a pasted book the beginning and the end are found again. */
const maxMessageTokens = 8_000;
/** Results are long, and what mattered of them is in the answer. */
const maxToolTokens = 300;

/** A transcript with some messages more, in order. Those without text are left out; long ones are cut. */
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
