import type { Clock } from '../../core/ports/clock.ts';
import { type LazyTimer, lazyTimer } from '../../core/util/lazy-timer.ts';
import type { Source, Subscription } from '../../core/util/source.ts';
import { StreamClosedError } from '../../core/util/stream-closed-error.ts';

/** Where the frames of a stream go: a connection. */
export interface FrameSink {
  /** Sends a text. Returns false if the reader takes no more for now; call `drained` when it does. */
  write(text: string): boolean;
  end(): void;
  /** Breaks the connection, so that no client mistakes a part for the whole. */
  fail(cause: unknown): void;
}

export interface FrameStreamOptions {
  /** Server-sent events, each with its blank line. */
  readonly frames: Source<string>;
  readonly clock: Pick<Clock, 'schedule' | 'monotonic'>;
  /** Idle time after which a comment is sent, in milliseconds. */
  readonly heartbeatMs: number;
  /** Returns the last frame after an error of the source. Default: the connection breaks. */
  readonly onFail?: (cause: unknown) => string;
  /** Called once, when the stream has ended or the server has cut it. */
  readonly onEnd: () => void;
  /** Called in place of `onEnd` when the reader disconnects before the end. */
  readonly onGone?: () => void;
}

export interface StreamGuard {
  readonly clock: Pick<Clock, 'schedule' | 'monotonic'>;
  /** Time limit for a reader that takes no data, in milliseconds; then its stream is cut. */
  readonly stalledMs: number;
  /** Aborted when the server closes. */
  readonly stop: AbortSignal;
  /** How a closing server leaves the reader. */
  readonly closes: 'end' | 'break';
  readonly onEnd?: () => void;
}

export const eventStreamHeaders = { 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' } as const;

/** First frame of a stream. It sends the headers at once. */
const firstFrame = ': ok\n\n';
const idleFrame = ': beat\n\n';

/**
 * Sends frames to one reader, as soon as there are some: a frame costs no promise and no timer. Nothing is buffered here: what the reader
 * does not take waits in the source.
 */
export class FrameStream {
  readonly #options: FrameStreamOptions;
  readonly #beat: LazyTimer;
  #guard: StreamGuard | undefined;
  /** Runs while the reader takes nothing, and before the stream is opened. */
  #stall: LazyTimer | undefined;
  #sink: FrameSink | undefined;
  #subscription: Subscription | undefined;
  #isFull = false;
  /** How the sink is left once the stream is over. */
  #left: ((sink: FrameSink) => void) | undefined;

  constructor(options: FrameStreamOptions) {
    this.#options = options;
    this.#beat = lazyTimer(options.clock, { background: true });
  }

  /** Limits what the reader may do. Call it before the stream is opened. */
  guard(guard: StreamGuard): void {
    this.#guard = guard;
    this.#stall = lazyTimer(guard.clock, { background: true });
    this.#stall.set(guard.stalledMs, this.#cutStalled);
    guard.stop.addEventListener('abort', this.#close, { once: true });
    if (guard.stop.aborted) this.#close();
  }

  open(sink: FrameSink): void {
    if (this.#sink) return;
    this.#sink = sink;
    if (this.#left) {
      this.#left(sink);
      return;
    }
    this.#stall?.cancel();
    this.#subscription = this.#options.frames.subscribe({
      tell: (frames) => this.#send(frames.length === 1 ? (frames[0] ?? '') : frames.join('')),
      end: () => this.#finish((open) => open.end()),
      fail: (cause) => this.#fail(cause),
    });
    this.#send(firstFrame);
  }

  /** The reader takes data again. */
  drained(): void {
    if (!this.#isFull) return;
    this.#isFull = false;
    this.#stall?.cancel();
    this.#subscription?.resume();
  }

  /** The reader has disconnected. */
  gone(): void {
    const { onGone, onEnd } = this.#options;
    this.#finish(() => {}, onGone ?? onEnd);
  }

  #send(text: string): void {
    const { heartbeatMs } = this.#options;
    this.#beat.set(heartbeatMs, this.#sendBeat);
    if (this.#sink?.write(text)) return;
    this.#isFull = true;
    this.#subscription?.hold();
    if (this.#guard) this.#stall?.set(this.#guard.stalledMs, this.#cutStalled);
  }

  readonly #sendBeat = (): void => {
    // who takes no frames gets no comments either, and is cut in the end
    if (this.#isFull) this.#beat.set(this.#options.heartbeatMs, this.#sendBeat);
    else this.#send(idleFrame);
  };

  readonly #cutStalled = (): void => this.#finish((open) => open.fail(new StreamClosedError('The reader has stalled.')));

  readonly #close = (): void =>
    this.#finish((open) => (this.#guard?.closes === 'break' ? open.fail(new StreamClosedError('The server is closing.')) : open.end()));

  #fail(cause: unknown): void {
    const { onFail } = this.#options;
    this.#finish((open) => {
      if (onFail) open.write(onFail(cause));
      if (onFail) open.end();
      else open.fail(cause);
    });
  }

  #finish(leave: (sink: FrameSink) => void, tell: () => void = this.#options.onEnd): void {
    if (this.#left) return;
    this.#left = leave;
    this.#beat.cancel();
    this.#stall?.cancel();
    this.#subscription?.stop();
    this.#guard?.stop.removeEventListener('abort', this.#close);
    tell();
    this.#guard?.onEnd?.();
    if (this.#sink) leave(this.#sink);
  }
}

const streams = new WeakMap<ReadableStream<Uint8Array>, FrameStream>();
const encoder = new TextEncoder();

/** Returns the frames behind a response, for a server that can write them without a web stream. */
export const frameStreamOf = ({ body }: Response): FrameStream | undefined => (body ? streams.get(body) : undefined);

/** Returns a response with frames as its body. */
export function frameResponse(frames: FrameStream, headers: Readonly<Record<string, string>> = {}): Response {
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        frames.open({
          write: (text) => {
            controller.enqueue(encoder.encode(text));
            return (controller.desiredSize ?? 0) > 0;
          },
          end: () => controller.close(),
          fail: (cause) => controller.error(cause),
        });
        frames.drained();
      },
      cancel: () => frames.gone(),
    },
    { highWaterMark: 0 }, // opens nothing before the first read
  );
  streams.set(body, frames);
  return new Response(body, { headers: { ...eventStreamHeaders, ...headers } });
}
