import type { Clock } from '../../core/ports/clock.ts';
import type { RunStatus } from '../../core/ports/run-store.ts';
import { StreamClosedError } from '../../core/util/stream-closed-error.ts';
import { toErrorReply } from './error-response.ts';
import type { FollowedEvent } from './follow-events.ts';

/** Time limit for a reader that takes no data, in milliseconds; then its stream is closed. */
export const longestStallMs = 30_000;

export interface EventStreamOptions {
  readonly events: AsyncGenerator<FollowedEvent, RunStatus, undefined>;
  readonly clock: Clock;
  readonly requestId: string;
  /** Idle time after which a comment is sent, in milliseconds. */
  readonly heartbeatMs: number;
  /** Time limit for a reader that takes no data, in milliseconds; then its stream is closed. */
  readonly stalledMs: number;
  readonly stop: AbortController;
  readonly onEnd: () => void;
}

export const eventStreamHeaders = { 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' } as const;

const encoder = new TextEncoder();
/** First frame of a stream. It sends the headers at once. */
export const firstFrame = ': ok\n\n';
export const idleFrame = ': beat\n\n';

/** Reads one event at a time. Returns `undefined` when none came for `heartbeatMs`; the next call waits for the same event. */
export function readOrBeat<T, TEnd>(
  events: AsyncIterator<T, TEnd, undefined>,
  heartbeatMs: number,
  clock: Pick<Clock, 'schedule'>,
): () => Promise<IteratorResult<T, TEnd> | undefined> {
  let pending: Promise<IteratorResult<T, TEnd>> | undefined;
  return async () => {
    pending ??= events.next();
    const beat = Promise.withResolvers<undefined>();
    const cancelBeat = clock.schedule(heartbeatMs, () => beat.resolve(undefined), { background: true });
    try {
      const found = await Promise.race([pending, beat.promise]);
      if (found) pending = undefined;
      return found;
    } finally {
      cancelBeat();
    }
  };
}

/**
 * Sends events as server-sent events. The reader pulls: events that it does not take stay in the run's log, and a stalled reader is
 * disconnected. Nothing is buffered here.
 */
export function eventStream({
  events,
  clock,
  requestId,
  heartbeatMs,
  stalledMs,
  stop,
  onEnd,
}: EventStreamOptions): ReadableStream<Uint8Array> {
  const read = readOrBeat(events, heartbeatMs, clock);
  let cancelStalled = (): void => {};
  let ended = false;
  const end = (): void => {
    if (ended) return;
    ended = true;
    cancelStalled();
    stop.abort();
    events.return('paused').catch(() => {}); // the reader is gone: release the iterator's resources
    onEnd();
  };
  const next = async (): Promise<string> => {
    const found = await read();
    if (!found) return idleFrame;
    if (!found.done) return toFrame(found.value);
    end();
    return `event: end\ndata: ${JSON.stringify({ status: found.value })}\n\n`;
  };
  const watch = (controller: ReadableStreamDefaultController): void => {
    const cut = (): void => {
      end();
      controller.error(new StreamClosedError('The reader has stalled.'));
    };
    cancelStalled = clock.schedule(stalledMs, cut, { background: true });
  };
  return new ReadableStream<Uint8Array>({
    start(controller) {
      stop.signal.addEventListener('abort', () => {
        if (ended) return;
        end();
        controller.close();
      });
      controller.enqueue(encoder.encode(firstFrame));
      watch(controller);
    },
    async pull(controller) {
      cancelStalled();
      let frame: string;
      try {
        frame = await next();
      } catch (cause) {
        if (ended) return;
        const { body } = toErrorReply(cause, requestId);
        frame = `event: error\ndata: ${JSON.stringify(body)}\n\n`;
        end();
      }
      if (ended && stop.signal.aborted && !frame.startsWith('event: e')) return;
      controller.enqueue(encoder.encode(frame));
      if (ended) return controller.close();
      watch(controller);
    },
    cancel: end,
  });
}

const toFrame = ({ event, place }: FollowedEvent): string => `id: ${place}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
