import type { Clock } from '../../core/ports/clock.ts';
import { StreamClosedError } from '../../core/util/stream-closed-error.ts';

export interface GuardedStreamOptions {
  readonly clock: Clock;
  /** Time limit for a reader that takes no data, in milliseconds; then its stream is closed. */
  readonly stalledMs: number;
  readonly stop: AbortSignal;
  readonly onEnd: () => void;
}

/**
 * Wraps a protocol's stream. A stalled reader, or closing the server, ends it with an error, so that no client mistakes a part for the
 * whole. The protocol does not see these as a disconnect of the reader.
 */
export function guardedStream(
  body: ReadableStream<Uint8Array>,
  { clock, stalledMs, stop, onEnd }: GuardedStreamOptions,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let ended = false;
  let cancelStalled = (): void => {};
  const end = (): void => {
    ended = true;
    cancelStalled();
    onEnd();
  };
  const cut = (controller: ReadableStreamDefaultController, why: string): void => {
    if (ended) return;
    end();
    const reason = new StreamClosedError(why);
    controller.error(reason);
    reader.cancel(reason).catch(() => {});
  };
  const watch = (controller: ReadableStreamDefaultController): void => {
    cancelStalled = clock.schedule(stalledMs, () => cut(controller, 'The reader has stalled.'), { background: true });
  };
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        stop.addEventListener('abort', () => cut(controller, 'The server is closing.'), { once: true });
        watch(controller);
      },
      async pull(controller) {
        cancelStalled();
        try {
          const { done, value } = await reader.read();
          if (ended) return;
          if (done) {
            end();
            return controller.close();
          }
          controller.enqueue(value);
          watch(controller);
        } catch (cause) {
          if (ended) return;
          end();
          controller.error(cause);
        }
      },
      async cancel(reason) {
        if (ended) return;
        end();
        await reader.cancel(reason);
      },
    },
    { highWaterMark: 0 }, // do not pull from the protocol before the reader pulls here
  );
}
