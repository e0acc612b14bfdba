import type { Clock } from '../ports/clock.ts';
import { ServerCut } from '../util/server-cut.ts';

export interface GuardedStreamOptions {
  readonly clock: Clock;
  /** A reader who takes nothing for so long is cut off, in milliseconds. */
  readonly stalledMs: number;
  /** Ends it. */
  readonly stop: AbortSignal;
  readonly onEnd: () => void;
}

/**
 * What a protocol streams, cut off where nobody takes it, and when the server is closed: with an error, so that no client takes a part for the
 * whole. The protocol is told that its reader has not gone by himself.
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
    const reason = new ServerCut(why);
    controller.error(reason);
    reader.cancel(reason).catch(() => {});
  };
  const watch = (controller: ReadableStreamDefaultController): void => {
    cancelStalled = clock.schedule(stalledMs, () => cut(controller, 'The reader has stalled.'), { background: true });
  };
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        stop.addEventListener('abort', () => cut(controller, 'The server is being closed.'), { once: true });
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
    { highWaterMark: 0 }, // nothing is taken from the protocol before somebody takes it here
  );
}
