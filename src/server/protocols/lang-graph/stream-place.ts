import { optionInvalid } from '../../../core/util/check-options.ts';
import { isAfter } from '../protocol-event.ts';
import type { RunRecording } from '../run-recording.ts';
import type { LangGraphEncoder, LangGraphPart } from './lang-graph-encoder.ts';

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
 * own, so a reader that comes back after the end gets them with the state.
 */
export async function* framesOf(
  recording: RunRecording,
  createEncoder: () => Promise<LangGraphEncoder>,
  { after, last }: FramesOptions,
): AsyncGenerator<string, void, undefined> {
  let hasBegun = after === 0;
  let place: StreamPlace = { seq: after, part: 0 };
  const encoder = await createEncoder();
  for await (const event of recording.read()) {
    const isRest = isAfter(event, after);
    const begun = isRest && !hasBegun ? encoder.begin() : [];
    hasBegun ||= isRest;
    const parts = encoder.push(event);
    if (!isRest) continue;
    for (const part of [...begun, ...parts]) {
      place = { seq: event.seq, part: event.seq === place.seq ? place.part + 1 : 1 };
      if (event.type === 'rest' || !last || isBehind(place, last)) yield toFrame(part, place);
    }
  }
}

const isBehind = (place: StreamPlace, last: StreamPlace): boolean =>
  place.seq > last.seq || (place.seq === last.seq && place.part > last.part);

/** JSON escapes line breaks, so tool output cannot start a new line. */
const toFrame = ({ event, data }: LangGraphPart, { seq, part }: StreamPlace): string =>
  `id: ${seq}.${part}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
