import { Stop } from '../../util/stop.ts';
import { type ErrorContext, streamCut, unavailable } from './openai-error.ts';

export interface ResponseTextOptions {
  /** How long the first bytes may take, in milliseconds. */
  readonly firstBytesTimeoutMs: number;
  /** How long the bytes after any others may take, in milliseconds. */
  readonly idleTimeoutMs: number;
  readonly context: ErrorContext;
  readonly signal: AbortSignal | undefined;
}

/**
 * Reads the text of a response piece by piece, and closes the connection when its reader stops early.
 *
 * @throws {WorkflowError} `MODEL_UNAVAILABLE` when the first bytes do not come in time; `MODEL_STREAM_CUT` when later ones do not, the
 *   connection breaks or the bytes are not UTF-8. The signal's reason when it is aborted.
 */
export async function* readResponseText(
  body: ReadableStream<Uint8Array>,
  { firstBytesTimeoutMs, idleTimeoutMs, context, signal }: ResponseTextOptions,
): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const reader = body.getReader();
  const stopped = new Stop();
  const close = (): void => void reader.cancel().catch(() => {}); // a connection that is broken already is closed as well
  const stop = (reason: unknown): void => {
    stopped.abort(reason);
    close();
  };
  const onAbort = (): void => stop(signal?.reason);
  signal?.addEventListener('abort', onAbort, { once: true });

  let begun = false;
  const onSilence = (): void =>
    stop(
      begun
        ? streamCut(context, `nothing came for ${idleTimeoutMs} ms`)
        : unavailable(context, `it sent nothing for ${firstBytesTimeoutMs} ms.`),
    );
  const read = async (): Promise<Uint8Array | undefined> => {
    const timer = setTimeout(onSilence, begun ? idleTimeoutMs : firstBytesTimeoutMs);
    try {
      return (await reader.read()).value;
    } catch (cause) {
      throw stopped.aborted ? stopped.reason : streamCut(context, 'the connection was closed', cause);
    } finally {
      clearTimeout(timer);
    }
  };
  const decode = (bytes: Uint8Array | undefined): string => {
    try {
      return decoder.decode(bytes, { stream: bytes !== undefined });
    } catch (cause) {
      throw streamCut(context, 'it is not UTF-8', cause);
    }
  };

  try {
    signal?.throwIfAborted();
    for (;;) {
      const bytes = await read();
      if (stopped.aborted) throw stopped.reason; // closing a reader looks like the end to it
      begun = true;
      yield decode(bytes);
      if (!bytes) return;
    }
  } finally {
    signal?.removeEventListener('abort', onAbort);
    close();
  }
}
