import { optionInvalid } from '../../../core/util/check-options.ts';
import { isAfter } from '../protocol-event.ts';
import type { RunRecording } from '../run-recording.ts';
import type { LangGraphEncoder, LangGraphPart } from './lang-graph-encoder.ts';
import { aiMessage, type LangGraphMessageChunk, removedMessage } from './lang-graph-message.ts';

/** Position of a reader: the number of an event, and how many of the parts with that number it has read. */
interface StreamPlace {
  readonly seq: number;
  readonly part: number;
}

/** Reads the header `Last-Event-ID`; `-1` and none mean the first part. @throws {WorkflowError} `OPTION_INVALID`. */
export function parsePlace(header: string | undefined): StreamPlace | undefined {
  if (header === undefined || header === '' || header === '-1') return undefined;
  const [, seq, part] = /^(\d{1,9})\.(\d{1,9})$/.exec(header) ?? [];
  if (seq !== undefined) return { seq: Number(seq), part: Number(part) };
  throw optionInvalid(
    `"${header.slice(0, 40)}" is not the id of an event.`,
    'Send the id of the last event, or -1 for all.',
    'Last-Event-ID',
  );
}

export interface FramesOptions {
  /** Number of the last event before the stream. */
  readonly after: number;
  /** Place of a reader that comes back. */
  readonly last: StreamPlace | undefined;
}

/**
 * Encodes a run as server-sent events, from the part after the reader's. The last event is always sent. Live texts have no numbers of their
 * own: a reader that comes back after the end may have a part of them, so it gets the whole text, which replaces that part.
 */
export async function* framesOf(
  recording: RunRecording,
  createEncoder: () => Promise<LangGraphEncoder>,
  { after, last }: FramesOptions,
): AsyncGenerator<string, void, undefined> {
  let hasBegun = after === 0;
  let place: StreamPlace = { seq: after, part: 0 };
  const begunTexts = new Set<string>();
  const encoder = await createEncoder();
  for await (const event of recording.read()) {
    const isRest = isAfter(event, after);
    const begun = isRest && !hasBegun ? encoder.begin() : [];
    hasBegun ||= isRest;
    const parts = encoder.push(event);
    if (!isRest) continue;
    for (const part of [...begun, ...parts]) {
      place = { seq: event.seq, part: event.seq === place.seq ? place.part + 1 : 1 };
      const text = textIn(part);
      const isWhole = event.type !== 'token' && text !== undefined && !begunTexts.has(text.id);
      if (text) begunTexts.add(text.id);
      if (event.type !== 'rest' && last && !isBehind(place, last)) continue;
      yield last && isWhole ? toReplacement(part, text, place) : toFrame(part, place);
    }
  }
}

/** The piece of a text in a part. */
function textIn({ event, data }: LangGraphPart): LangGraphMessageChunk | undefined {
  const [message] = event === 'messages' && Array.isArray(data) ? (data as readonly LangGraphMessageChunk[]) : []; // made by our encoder
  return message?.type === 'AIMessageChunk' ? message : undefined;
}

/**
 * Removes what the reader has of a text, and gives it the whole: LangGraph's client adds a message to an earlier one with the same id. The
 * removal has no place, because a reader that is cut after it has not read the text.
 */
const toReplacement = ({ event, data }: LangGraphPart, { id, content }: LangGraphMessageChunk, place: StreamPlace): string => {
  const about = Object.values(data).slice(1);
  const removal = `event: ${event}\ndata: ${JSON.stringify([removedMessage(id), ...about])}\n\n`;
  return removal + toFrame({ event, data: [aiMessage(id, content), ...about] }, place);
};

const isBehind = (place: StreamPlace, last: StreamPlace): boolean =>
  place.seq > last.seq || (place.seq === last.seq && place.part > last.part);

/** JSON escapes line breaks, so tool output cannot start a new line. */
const toFrame = ({ event, data }: LangGraphPart, { seq, part }: StreamPlace): string =>
  `id: ${seq}.${part}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
