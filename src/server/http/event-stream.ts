import type { Clock } from '../../core/ports/clock.ts';
import type { RunEvent } from '../../core/ports/run-event.ts';
import { mapSource, sourceOf } from '../../core/util/source.ts';
import { toErrorReply } from './error-response.ts';
import type { FollowedEvent, FollowedEvents } from './follow-events.ts';
import { FrameStream, frameResponse } from './frame-stream.ts';

/** Time limit for a reader that takes no data, in milliseconds; then its stream is closed. */
export const longestStallMs = 30_000;

export interface EventStreamOptions {
  readonly events: AsyncIterable<FollowedEvent> & Pick<FollowedEvents, 'status'>;
  readonly clock: Clock;
  readonly requestId: string;
  /** Idle time after which a comment is sent, in milliseconds. */
  readonly heartbeatMs: number;
  /** Time limit for a reader that takes no data, in milliseconds; then its stream is closed. */
  readonly stalledMs: number;
  readonly stop: AbortController;
  readonly onEnd: () => void;
}

/** Sends events of a run as server-sent events. After them comes `end` with the run's status, or `error`. */
export function eventStream({ events, clock, requestId, heartbeatMs, stalledMs, stop, onEnd }: EventStreamOptions): Response {
  const frames = new FrameStream({
    frames: mapSource(
      sourceOf(events),
      (followed) => [toFrame(followed)],
      () => [`event: end\ndata: ${JSON.stringify({ status: events.status })}\n\n`],
    ),
    clock,
    heartbeatMs,
    onFail: (cause) => `event: error\ndata: ${JSON.stringify(toErrorReply(cause, requestId).body)}\n\n`,
    onEnd,
  });
  frames.guard({ clock, stalledMs, stop: stop.signal, closes: 'end' });
  return frameResponse(frames);
}

interface KnownFrame {
  readonly place: string;
  readonly frame: string;
}

/** Frames longer than this are made for each reader: 100 stalled ones would keep a long run twice. */
const maxSharedLength = 4_096;

/** Frames of events, which all readers of a run share. */
const known = new WeakMap<RunEvent, KnownFrame>();

function toFrame({ event, place }: FollowedEvent): string {
  const found = known.get(event);
  if (found?.place === place) return found.frame;
  const frame = `id: ${place}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
  if (frame.length <= maxSharedLength) known.set(event, { place, frame });
  return frame;
}
