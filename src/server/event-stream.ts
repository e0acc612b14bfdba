import type { Clock } from '../ports/clock.ts';
import type { RunStatus } from '../ports/run-store.ts';
import { ServerCut } from '../util/server-cut.ts';
import { toAnsweredError } from './error-response.ts';
import type { FollowedEvent } from './follow-events.ts';

/** After how long a reader who takes nothing is cut off, in milliseconds. */
export const longestStallMs = 30_000;

export interface EventStreamOptions {
  readonly events: AsyncGenerator<FollowedEvent, RunStatus, undefined>;
  readonly clock: Clock;
  readonly requestId: string;
  /** A comment is sent after so long without an event, in milliseconds. */
  readonly heartbeatMs: number;
  /** A reader who takes nothing for so long is cut off, in milliseconds. */
  readonly stalledMs: number;
  /** Stops it. */
  readonly stop: AbortController;
  readonly onEnd: () => void;
}

const encoder = new TextEncoder();

/**
 * Events as server-sent events. The reader pulls: what it does not take stays in the run's log, where it is anyway, and one that takes nothing
 * for long is cut off. Nothing piles up here.
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
  let pending: Promise<IteratorResult<FollowedEvent, RunStatus>> | undefined;
  let cancelStalled = (): void => {};
  let ended = false;
  const end = (): void => {
    if (ended) return;
    ended = true;
    cancelStalled();
    stop.abort();
    pending?.catch(() => {});
    events.return('paused').catch(() => {}); // nobody asks it any more: what it holds is let go
    onEnd();
  };
  const next = async (): Promise<string> => {
    pending ??= events.next();
    const beat = Promise.withResolvers<'beat'>();
    const cancelBeat = clock.schedule(heartbeatMs, () => beat.resolve('beat'), { background: true });
    try {
      const found = await Promise.race([pending, beat.promise]);
      if (found === 'beat') return ': beat\n\n';
      pending = undefined;
      if (!found.done) return toFrame(found.value);
      end();
      return `event: end\ndata: ${JSON.stringify({ status: found.value })}\n\n`;
    } finally {
      cancelBeat();
    }
  };
  const watch = (controller: ReadableStreamDefaultController): void => {
    const cut = (): void => {
      end();
      controller.error(new ServerCut('The reader has stalled.'));
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
      controller.enqueue(encoder.encode(': ok\n\n')); // the headers go out at once
      watch(controller);
    },
    async pull(controller) {
      cancelStalled();
      let frame: string;
      try {
        frame = await next();
      } catch (cause) {
        if (ended) return;
        const { body } = toAnsweredError(cause, requestId);
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
