import { WorkflowError } from '../../core/errors/errors.ts';

export type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

export interface BoundedFetchOptions {
  readonly fetch: Fetch;
  /** Maximum size in bytes of one message: a JSON body, or one event of a stream. */
  readonly maxBytes: number;
  /** Called when the stream that carries the answer to a request has ended and cannot be resumed. */
  readonly onEnded: (requestId: string | number) => void;
  /** Called when the answer to a request is too large. */
  readonly onTooLarge: (requestId: string | number) => void;
}

/**
 * Limits the size of a server's messages, and reports when an answer can no longer arrive. Otherwise the SDK would wait until the timeout.
 */
export function boundedFetch({ fetch, maxBytes, onEnded, onTooLarge }: BoundedFetchOptions): Fetch {
  return async (url, init) => {
    const response = await fetch(url, init);
    if (!response.body) return response;
    const requestId = init?.method === 'POST' ? idOf(init.body) : undefined;
    const isStream = /^text\/event-stream\b/i.test(response.headers.get('content-type') ?? '');
    const events = new EventSize();
    const reader = response.body.getReader();
    let bytes = 0;
    const ended = (): void => {
      if (requestId !== undefined && isStream && !events.hasId) onEnded(requestId);
    };
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (done) {
            controller.close();
            ended();
            return;
          }
          bytes = isStream ? events.add(value) : bytes + value.length;
          if (bytes > maxBytes) {
            void reader.cancel().catch(() => {});
            if (requestId !== undefined) onTooLarge(requestId);
            throw tooLarge(maxBytes);
          }
          controller.enqueue(value);
        } catch (error) {
          controller.error(error);
          ended();
        }
      },
      cancel: (reason) => reader.cancel(reason),
    });
    const { status, statusText, headers } = response;
    return new Response(body, { status, statusText, headers });
  };
}

/** Tracks the size of the current event, and whether any event had an id, from which the stream can be resumed. */
class EventSize {
  hasId = false;
  #bytes = 0;
  #line = '';

  /** Returns the length of the longest event that includes some of these bytes. */
  add(chunk: Uint8Array): number {
    let longest = this.#bytes;
    for (const byte of chunk) {
      this.#bytes++;
      if (byte === 10 || byte === 13) {
        if (this.#line === '') {
          longest = Math.max(longest, this.#bytes);
          this.#bytes = 0;
        }
        this.#line = '';
      } else if (this.#line.length < 4) {
        this.#line += String.fromCharCode(byte);
        if (this.#line.startsWith('id:')) this.hasId = true;
      }
    }
    return Math.max(longest, this.#bytes);
  }
}

function idOf(body: unknown): string | number | undefined {
  if (typeof body !== 'string') return undefined;
  const message: unknown = JSON.parse(body);
  const { id, method } = (typeof message === 'object' && message !== null ? message : {}) as {
    readonly id?: unknown;
    readonly method?: unknown;
  };
  return method !== undefined && (typeof id === 'string' || typeof id === 'number') ? id : undefined;
}

const tooLarge = (maxBytes: number): WorkflowError =>
  new WorkflowError({
    code: 'RESPONSE_TOO_LARGE',
    message: `The MCP server sent a message of more than ${maxBytes} bytes.`,
    hint: 'Request less, or raise maxMessageBytes.',
  });
