import { StreamClosedError } from '../../core/util/stream-closed-error.ts';
import { systemClock } from '../../core/util/system-clock.ts';
import { eventStreamHeaders, firstFrame, idleFrame, readOrBeat } from '../http/event-stream.ts';
import { isAfter, type RunEncoder } from './protocol-event.ts';
import type { RunRecording } from './run-recording.ts';

const utf8 = new TextEncoder();

/** Formats a chunk as a server-sent event. JSON escapes line breaks, so tool output cannot start a new line. */
export const toFrame = (chunk: object): string => `data: ${JSON.stringify(chunk)}\n\n`;

/** Encodes the events of a run after number `after`. */
export async function* encodeRecording<TChunk>(
  recording: RunRecording,
  encoder: RunEncoder<TChunk>,
  after = 0,
): AsyncGenerator<TChunk, void, undefined> {
  for await (const event of recording.read()) {
    const chunks = encoder.push(event);
    if (isAfter(event, after)) yield* chunks;
  }
}

export interface EventStreamOptions {
  readonly heartbeatMs: number;
  /** Called when the reader disconnects before the end. */
  readonly onGone: () => void;
  readonly onEnd: () => void;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends frames as a response. The reader pulls: frames are produced on demand. */
export function eventStream(frames: AsyncGenerator<string, void, undefined>, options: EventStreamOptions): Response {
  const read = readOrBeat(frames, options.heartbeatMs, systemClock);
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(utf8.encode(firstFrame));
    },
    async pull(controller) {
      try {
        const found = await read();
        if (!found) return controller.enqueue(utf8.encode(idleFrame));
        if (!found.done) return controller.enqueue(utf8.encode(found.value));
        options.onEnd();
        controller.close();
      } catch (cause) {
        options.onEnd();
        controller.error(cause);
      }
    },
    cancel(reason) {
      if (reason instanceof StreamClosedError) options.onEnd();
      else options.onGone();
    },
  });
  return new Response(body, { headers: { ...eventStreamHeaders, 'cache-control': 'no-store', ...options.headers } });
}
