import type { ReplyClock } from '../reply-clock.ts';
import { type ErrorContext, streamCut } from './openai-error.ts';

export interface ResponseTextOptions {
  readonly context: ErrorContext;
  /** Notified of each piece; stops the reading when a limit is hit or the caller aborts. */
  readonly clock: Pick<ReplyClock, 'signal' | 'heard'>;
  /** Takes a piece. Returns true to stop the reading. */
  readonly take: (piece: string) => boolean;
}

/**
 * Reads the text of a response piece by piece until its end, and closes the connection. A piece takes one turn of promises, because a
 * server reads hundreds of streams at once.
 *
 * @throws {WorkflowError} `MODEL_STREAM_CUT` when the connection breaks or the bytes are not UTF-8; the clock's abort reason; the errors of
 * `take`.
 */
export async function readResponseText(
  body: ReadableStream<Uint8Array>,
  { context, clock: { signal, heard }, take }: ResponseTextOptions,
): Promise<void> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const reader = body.getReader();
  const close = (): void => void reader.cancel().catch(() => {}); // also closes a connection that is already broken
  signal.addEventListener('abort', close, { once: true });

  const decode = (bytes: Uint8Array | undefined): string => {
    try {
      return decoder.decode(bytes, { stream: bytes !== undefined });
    } catch (cause) {
      throw streamCut(context, 'it is not UTF-8', cause);
    }
  };
  const read = async (): Promise<Uint8Array | undefined> => {
    try {
      return (await reader.read()).value;
    } catch (cause) {
      signal.throwIfAborted();
      throw streamCut(context, 'the connection was closed', cause);
    }
  };

  try {
    signal.throwIfAborted();
    for (;;) {
      const bytes = await read();
      signal.throwIfAborted(); // a cancelled reader also reports the end
      if (bytes) heard();
      if (take(decode(bytes)) || !bytes) return;
    }
  } finally {
    signal.removeEventListener('abort', close);
    close();
  }
}
