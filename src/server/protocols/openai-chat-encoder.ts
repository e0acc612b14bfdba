import { type OpenaiError, toOpenaiError } from './openai-error.ts';
import { type ChatUsage, toChatUsage } from './openai-usage.ts';
import { isAfter, type RunEncoder } from './protocol-event.ts';
import { createRunNarrator } from './run-narrator.ts';
import { type TextPart, toTextParts } from './text-parts.ts';

/** A chunk of a chat completion. */
export interface ChatChunk {
  readonly id: string;
  readonly object: 'chat.completion.chunk';
  readonly created: number;
  readonly model: string;
  readonly choices: readonly {
    readonly index: 0;
    readonly delta: { readonly role?: 'assistant'; readonly content?: string };
    readonly finish_reason: 'stop' | null;
  }[];
  readonly usage?: ChatUsage | null;
}

export interface OpenaiChatEncoderOptions {
  /** The client's name for the workflow. @default the workflow's id */
  readonly model?: string;
  /** Number of the run's last event in an earlier completion. @default 0 */
  readonly after?: number;
  /** True sends the token usage of the run at the end: `stream_options.include_usage`. @default false */
  readonly includeUsage?: boolean;
}

interface Encoding {
  head: Pick<ChatChunk, 'id' | 'object' | 'created' | 'model'>;
  texts: { readonly id: string; text: string }[];
  sent: string;
  over: boolean;
}

/**
 * Encodes a run as a streamed chat completion: its text, then its question. Sent text cannot be withdrawn: if a cut model restarts with
 * different text, the stream ends with an error.
 */
export function openaiChatEncoder({
  model,
  after = 0,
  includeUsage = false,
}: OpenaiChatEncoderOptions = {}): RunEncoder<ChatChunk | OpenaiError> {
  const narrator = createRunNarrator();
  const encoding: Encoding = {
    head: { id: '', object: 'chat.completion.chunk', created: 0, model: '' },
    texts: [],
    sent: '',
    over: false,
  };
  const usage = includeUsage ? { usage: null } : {};
  const chunk = (delta: ChatChunk['choices'][0]['delta'], finish_reason: 'stop' | null = null): ChatChunk => ({
    ...encoding.head,
    choices: [{ index: 0, delta, finish_reason }],
    ...usage,
  });
  const encode = (part: TextPart): readonly (ChatChunk | OpenaiError)[] => {
    if (encoding.over) return [];
    applyPart(encoding, part);
    if (part.type === 'failed') {
      encoding.over = true;
      return [toOpenaiError(part.error)];
    }
    const missing = unsent(encoding, part.type === 'end');
    if (missing === undefined) {
      encoding.over = true;
      return [toOpenaiError(contradiction)];
    }
    encoding.sent += missing;
    const content = missing === '' ? [] : [chunk({ content: missing })];
    if (part.type !== 'end') return content;
    encoding.over = true;
    const counted = includeUsage ? [{ ...encoding.head, choices: [], usage: toChatUsage(part.usage) }] : [];
    return [...content, chunk({}, 'stop'), ...counted];
  };
  return {
    push: (event) =>
      narrator.narrate(event).flatMap((move) => {
        const isEarlier = !isAfter(event, after);
        if (move.type !== 'run') return isEarlier ? [] : toTextParts(move).flatMap(encode);
        encoding.head = {
          id: `chatcmpl-${move.runId}`,
          object: 'chat.completion.chunk',
          created: Math.floor(event.at / 1000),
          model: model ?? move.workflow,
        };
        return [chunk({ role: 'assistant', content: '' })];
      }),
  };
}

const contradiction = {
  code: 'MODEL_STREAM_CUT',
  message: 'The streamed text is void, because the model was cut off and then answered differently.',
  hint: 'Send the request without stream to receive the final answer only.',
};

function applyPart(encoding: Encoding, part: TextPart): void {
  if (part.type === 'text-start') encoding.texts.push({ id: part.id, text: '' });
  if (part.type === 'text') {
    const text = encoding.texts.find(({ id }) => id === part.id);
    if (text) text.text += part.delta;
  }
  if (part.type === 'void') encoding.texts = encoding.texts.filter(({ id }) => !part.ids.includes(id));
}

/**
 * Returns the valid text that is not sent yet; `undefined` when the sent text contradicts it. Before the end, valid text that is a prefix
 * of the sent text may still grow to match.
 */
function unsent({ texts, sent }: Encoding, isEnd: boolean): string | undefined {
  const whole = texts.map(({ text }) => text).join('\n\n');
  if (whole.startsWith(sent)) return whole.slice(sent.length);
  return !isEnd && sent.startsWith(whole) ? '' : undefined;
}

/** Whole text of a run that is not streamed. */
export function toCompletion(parts: readonly TextPart[]): string {
  const encoding: Pick<Encoding, 'texts'> = { texts: [] };
  for (const part of parts) applyPart(encoding as Encoding, part);
  return encoding.texts.map(({ text }) => text).join('\n\n');
}
