import type { JsonObject } from '../../core/ports/json.ts';
import { toResponseId } from './openai-response-id.ts';
import { type ResponseUsage, toResponseUsage } from './openai-usage.ts';
import { isAfter, type RunEncoder } from './protocol-event.ts';
import { createRunNarrator } from './run-narrator.ts';
import { type TextPart, toTextParts } from './text-parts.ts';

/** A message of a response. */
export interface ResponseItem {
  readonly id: string;
  readonly type: 'message';
  readonly role: 'assistant';
  readonly status: 'in_progress' | 'completed' | 'incomplete';
  readonly content: readonly { readonly type: 'output_text'; readonly text: string; readonly annotations: readonly [] }[];
}

/** A response in its current state. */
export interface ResponseObject {
  readonly id: string;
  readonly object: 'response';
  readonly created_at: number;
  readonly model: string;
  readonly status: 'in_progress' | 'completed' | 'failed' | 'cancelled';
  readonly output: readonly ResponseItem[];
  readonly usage: ResponseUsage | null;
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly conversation: { readonly id: string } | null;
  readonly metadata: JsonObject;
  readonly [key: string]: unknown;
}

/** An event of a streamed response. */
export interface ResponseEvent {
  readonly type: `response.${string}`;
  readonly sequence_number: number;
  readonly response?: ResponseObject;
  readonly [key: string]: unknown;
}

export interface OpenaiResponsesEncoderOptions {
  /** The client's name for the workflow. @default the workflow's id */
  readonly model?: string;
  /** Number of the run's last event in an earlier response. @default 0 */
  readonly after?: number;
  /** Id of the question that the response repeats, because the client's message decided nothing. */
  readonly repeatedInterrupt?: string;
  /** Copied to the response. @default {} */
  readonly metadata?: JsonObject;
  readonly previousResponseId?: string;
}

interface Encoding {
  response: ResponseObject;
  /** Messages in order of their start. Void ones are included, because their indexes are already sent. */
  items: { readonly id: string; text: string; status: ResponseItem['status']; isVoid: boolean }[];
  sequence: number;
}

type Event = Omit<ResponseEvent, 'sequence_number'>;

/**
 * Encodes a run as a streamed response, with each text as a message. A void message remains as `incomplete`, and is not in the final
 * response. A waiting run is a response that asks; the question is also in its metadata.
 */
export function openaiResponsesEncoder(options: OpenaiResponsesEncoderOptions = {}): RunEncoder<ResponseEvent> {
  const narrator = createRunNarrator();
  const encoding: Encoding = { response: emptyResponse(options), items: [], sequence: 0 };
  const numbered = (events: readonly Event[]): readonly ResponseEvent[] =>
    events.map((event): ResponseEvent => ({ ...(event as { readonly type: `response.${string}` }), sequence_number: encoding.sequence++ }));
  return {
    push: (event) => {
      const { after = 0, repeatedInterrupt } = options;
      const moves = narrator.narrate(event);
      const isEarlier = !isAfter(event, after);
      const events = moves.flatMap((move): readonly Event[] => {
        if (move.type === 'run') {
          const { runId, threadId, workflow } = move;
          const conversation = threadId === undefined ? null : { id: threadId };
          const id = toResponseId({ runId, after, ...(repeatedInterrupt === undefined ? {} : { repeatedInterrupt }) });
          encoding.response = {
            ...encoding.response,
            id,
            conversation,
            created_at: Math.floor(event.at / 1000),
            model: options.model ?? workflow,
          };
          return [
            { type: 'response.created', response: encoding.response },
            { type: 'response.in_progress', response: encoding.response },
          ];
        }
        if (isEarlier) return [];
        if (move.type === 'pause' && move.isReviewed)
          encoding.response = { ...encoding.response, metadata: { ...encoding.response.metadata, status: 'waiting' } };
        const question = move.type === 'pause' ? move.interrupts[0] : undefined;
        if (question) {
          const metadata = {
            ...encoding.response.metadata,
            status: 'waiting',
            interrupt_id: question.id,
            accepts: question.accepts.join(','),
          };
          encoding.response = { ...encoding.response, metadata };
        }
        return toTextParts(move).flatMap((part) => encode(encoding, part));
      });
      return numbered(events);
    },
  };
}

const emptyResponse = ({ metadata = {}, previousResponseId }: OpenaiResponsesEncoderOptions): ResponseObject => ({
  id: '',
  object: 'response',
  created_at: 0,
  model: '',
  status: 'in_progress',
  output: [],
  usage: null,
  error: null,
  conversation: null,
  metadata,
  previous_response_id: previousResponseId ?? null,
  incomplete_details: null,
  instructions: null,
  parallel_tool_calls: true,
  tool_choice: 'auto',
  tools: [],
  temperature: null,
  top_p: null,
});

const toItem = ({ id, text, status }: Encoding['items'][0]): ResponseItem => ({
  id,
  type: 'message',
  role: 'assistant',
  status,
  content: status === 'in_progress' ? [] : [toPart(text)],
});

const toPart = (text: string): ResponseItem['content'][0] => ({ type: 'output_text', text, annotations: [] });

function encode(encoding: Encoding, part: TextPart): readonly Event[] {
  const idOf = (id: string): string => `msg_${encoding.response.id.slice('resp_'.length)}_${id}`;
  const place = (id: string): number => encoding.items.findIndex((item) => item.id === idOf(id));
  switch (part.type) {
    case 'text-start': {
      const item = { id: idOf(part.id), text: '', status: 'in_progress', isVoid: false } as const;
      encoding.items.push({ ...item });
      const at = { item_id: item.id, output_index: encoding.items.length - 1 };
      return [
        { type: 'response.output_item.added', output_index: at.output_index, item: toItem({ ...item }) },
        { type: 'response.content_part.added', ...at, content_index: 0, part: toPart('') },
      ];
    }
    case 'text': {
      const item = encoding.items[place(part.id)];
      if (!item) return [];
      item.text += part.delta;
      const at = { item_id: item.id, output_index: place(part.id), content_index: 0 };
      return [{ type: 'response.output_text.delta', ...at, delta: part.delta, logprobs: [] }];
    }
    case 'text-end':
      return close(encoding, place(part.id), 'completed');
    case 'void':
      return part.ids.flatMap((id) => {
        const item = encoding.items[place(id)];
        if (!item) return [];
        item.isVoid = true;
        return item.status === 'in_progress' ? close(encoding, place(id), 'incomplete') : [];
      });
    case 'end':
      return finish(encoding, { status: 'completed', usage: toResponseUsage(part.usage) });
    case 'failed': {
      const { code, message, hint } = part.error;
      const error = { code, message: hint ? `${message} ${hint}` : message };
      return finish(encoding, { status: 'failed', error, usage: toResponseUsage(part.usage) });
    }
  }
}

function close({ items }: Encoding, output_index: number, status: 'completed' | 'incomplete'): readonly Event[] {
  const item = items[output_index];
  if (!item) return [];
  item.status = status;
  const at = { item_id: item.id, output_index, content_index: 0 };
  return [
    { type: 'response.output_text.done', ...at, text: item.text, logprobs: [] },
    { type: 'response.content_part.done', ...at, part: toPart(item.text) },
    { type: 'response.output_item.done', output_index, item: toItem(item) },
  ];
}

function finish(
  encoding: Encoding,
  end: Pick<ResponseObject, 'usage'> & { readonly status: 'completed' | 'failed'; readonly error?: ResponseObject['error'] },
): readonly Event[] {
  const output = encoding.items.filter(({ isVoid }) => !isVoid).map(toItem);
  encoding.response = { ...encoding.response, output, ...end };
  return [{ type: `response.${end.status}`, response: encoding.response }];
}
