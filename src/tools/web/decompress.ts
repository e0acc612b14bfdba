import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, inflateRaw } from 'node:zlib';

const codings: Readonly<Record<string, (body: Buffer, options: { readonly maxOutputLength: number }) => Promise<Buffer>>> = {
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  br: promisify(brotliDecompress),
  // some servers omit the required header
  deflate: (body, options) => (((body[0] ?? 0) & 0x0f) === 8 ? promisify(inflate) : promisify(inflateRaw))(body, options),
};

/** Supported codings, for `accept-encoding`. */
export const acceptedCodings = 'gzip, deflate, br';

const maxCodings = 3;

/** Reason why a body could not be decompressed. */
export type DecompressFailure = 'unknown' | 'truncated' | 'broken' | 'too large';

/**
 * Decompresses a complete body. A body that is cut off anywhere is `truncated`, never a shorter text.
 *
 * @param encoding Value of the header `content-encoding`: names, separated by commas, in the order in which they were applied.
 */
export async function decompress(
  body: Buffer,
  encoding: string,
  maxOutputLength: number,
): Promise<{ readonly bytes: Buffer } | { readonly failure: DecompressFailure }> {
  // Decision 59: `fetch` accepts a compressed body that was cut off.
  const names = encoding
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'identity');
  if (names.length > maxCodings || names.some((name) => !Object.hasOwn(codings, name))) return { failure: 'unknown' };
  let bytes = body;
  for (const name of names.reverse()) {
    try {
      bytes = (await codings[name]?.(bytes, { maxOutputLength })) ?? bytes;
    } catch (cause) {
      return { failure: failureOf(cause) };
    }
  }
  return { bytes };
}

function failureOf(cause: unknown): DecompressFailure {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  if (code === 'ERR_BUFFER_TOO_LARGE') return 'too large';
  return code === 'Z_BUF_ERROR' ? 'truncated' : 'broken';
}
