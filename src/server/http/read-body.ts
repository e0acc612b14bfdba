import type { Clock } from '../../core/ports/clock.ts';
import { Refusal } from './refusal.ts';

export interface BodyLimits {
  readonly maxBytes: number;
  /** Time limit from the first read to the last byte, in milliseconds. */
  readonly timeoutMs: number;
}

/** @throws {Refusal} 415 for any other media type, and for a compressed body. */
export function checkMediaType({ headers }: Request, expected: 'application/json' | 'multipart/form-data'): void {
  const [type = '', ...parameters] = (headers.get('content-type') ?? '').toLowerCase().split(';');
  const plain = parameters.every((one) => expected !== 'application/json' || /^\s*charset\s*=\s*"?utf-8"?\s*$/.test(one));
  if (type.trim() !== expected || !plain) throw unsupported(`The body must be ${expected}.`);
  const encoding = headers.get('content-encoding');
  if (encoding !== null && encoding.toLowerCase() !== 'identity') throw unsupported('The body is compressed, which is not supported.');
}

/**
 * Reads a whole body within its limits.
 *
 * @throws {Refusal} 413, 408.
 */
export async function readBody(request: Request, { maxBytes, timeoutMs }: BodyLimits, clock: Pick<Clock, 'schedule'>): Promise<Uint8Array> {
  if (Number(request.headers.get('content-length') ?? 0) > maxBytes) throw tooLarge(maxBytes);
  const reader = request.body?.getReader();
  if (!reader) return new Uint8Array();
  const late = Promise.withResolvers<never>();
  const cancelTimer = clock.schedule(timeoutMs, () => late.reject(tooSlow));
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for (;;) {
      const { done, value } = await Promise.race([reader.read(), late.promise]);
      if (done) return joined(chunks, length);
      length += value.byteLength;
      if (length > maxBytes) throw tooLarge(maxBytes);
      chunks.push(value);
    }
  } catch (cause) {
    void reader.cancel(cause).catch(() => {});
    throw cause instanceof Refusal ? cause : cutShort;
  } finally {
    cancelTimer();
  }
}

function joined(chunks: readonly Uint8Array[], length: number): Uint8Array {
  const all = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.byteLength;
  }
  return all;
}

const unsupported = (message: string): Refusal => new Refusal({ status: 415, code: 'MEDIA_TYPE_UNSUPPORTED', message });

const tooLarge = (maxBytes: number): Refusal =>
  new Refusal({
    status: 413,
    code: 'BODY_TOO_LARGE',
    message: `The body has more than ${maxBytes} bytes.`,
    headers: { connection: 'close' },
  });

/** The sender is gone and does not read this response. It is not a failure of the server. */
const cutShort = new Refusal({
  status: 400,
  code: 'REQUEST_INVALID',
  message: 'The body ended early.',
  headers: { connection: 'close' },
});

const tooSlow = new Refusal({
  status: 408,
  code: 'BODY_TOO_SLOW',
  message: 'The body did not arrive in time.',
  headers: { connection: 'close' },
});
