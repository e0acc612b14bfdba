import { mapSource, readSource, type Source, sourceOf } from '../../core/util/source.ts';
import { systemClock } from '../../core/util/system-clock.ts';
import { FrameStream, frameResponse } from '../http/frame-stream.ts';
import { isAfter, type RunEncoder } from './protocol-event.ts';
import type { RunRecording } from './run-recording.ts';

/** Formats a chunk as a server-sent event. JSON escapes line breaks, so tool output cannot start a new line. */
export const toFrame = (chunk: object): string => `data: ${JSON.stringify(chunk)}\n\n`;

/** Encodes the events of a run after number `after`. */
export const encodeRecording = <TChunk>(
  recording: RunRecording,
  encoder: RunEncoder<TChunk>,
  after = 0,
): AsyncGenerator<TChunk, void, undefined> => readSource(encodedSource(recording, encoder, after));

const encodedSource = <TChunk>(recording: RunRecording, encoder: RunEncoder<TChunk>, after: number): Source<TChunk> =>
  mapSource(recording, (event) => {
    const chunks = encoder.push(event);
    return isAfter(event, after) ? chunks : [];
  });

/** Encodes the events of a run after number `after` as frames, and ends them with a last one. */
export const encodedFrames = <TChunk extends object>(
  recording: RunRecording,
  encoder: RunEncoder<TChunk>,
  { after = 0, last }: { readonly after?: number; readonly last?: string } = {},
): Source<string> =>
  mapSource(
    encodedSource(recording, encoder, after),
    (chunk) => [toFrame(chunk)],
    () => (last === undefined ? [] : [last]),
  );

export interface EventStreamOptions {
  readonly heartbeatMs: number;
  /** Called when the reader disconnects before the end. */
  readonly onGone: () => void;
  readonly onEnd: () => void;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends frames as a response. */
export function eventStream(frames: Source<string> | AsyncIterable<string>, options: EventStreamOptions): Response {
  const { heartbeatMs, onEnd, onGone, headers } = options;
  const source = 'subscribe' in frames ? frames : sourceOf(frames);
  return frameResponse(new FrameStream({ frames: source, clock: systemClock, heartbeatMs, onEnd, onGone }), {
    'cache-control': 'no-store',
    ...headers,
  });
}
