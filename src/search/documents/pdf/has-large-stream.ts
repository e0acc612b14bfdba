import { constants, inflateSync } from 'node:zlib';

const maxLayers = 3;
// maximum compression ratio of zlib
const maxRatio = 1_032;
// compressed data does not contain the word by chance, and checking many overlapping pieces takes long
const maxBegun = 16;

/**
 * True if a stream of a PDF file unpacks to more than `maxBytes`: pdf.js unpacks whole streams, and would use all memory. Detects Flate
 * streams, also with several layers. An LZW stream, a format obsolete for decades, counts as large if its length allows it. Also true for a
 * file that is crafted to make this check slow.
 */
export function hasLargeStream(bytes: Uint8Array, maxBytes: number): boolean {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let end = -1;
  let begun = 0;
  for (let at = file.indexOf('stream'); at >= 0; at = file.indexOf('stream', at + 6)) {
    // otherwise the word is part of a text
    if (!/>>\s{0,16}$/.test(file.toString('latin1', Math.max(0, at - 18), at))) continue;
    let start = at + 6;
    while (file[start] === 0x0d || file[start] === 0x0a || file[start] === 0x20) start++;
    if (end < start) {
      end = file.indexOf('endstream', start);
      if (end < 0) end = file.length;
      begun = 0;
    }
    if (++begun > maxBegun) return true;
    const dictionary = file.toString('latin1', Math.max(0, at - 1_000), at);
    const own = dictionary.slice(dictionary.lastIndexOf(' obj') + 1);
    const mayBeLarge = (end - start) * maxRatio > maxBytes;
    if (mayBeLarge && /\/LZW/.test(own)) return true;
    if (!mayBeLarge && (own.match(/\/Fl/g)?.length ?? 0) < 2) continue;
    let content = file.subarray(start, end);
    for (let layer = 0; layer < maxLayers && looksPacked(content); layer++) {
      const unpacked = inflate(content, maxBytes);
      if (unpacked === 'large') return true;
      if (unpacked === undefined) break;
      content = unpacked;
    }
  }
  return false;
}

/** True for the two bytes at the start of zlib data. */
const looksPacked = (bytes: Uint8Array): boolean => {
  const [method = 0, check = 0] = bytes;
  return (method & 0x0f) === 8 && method >> 4 <= 7 && (method * 256 + check) % 31 === 0;
};

function inflate(bytes: Uint8Array, maxBytes: number): Buffer | 'large' | undefined {
  try {
    return inflateSync(bytes, { maxOutputLength: maxBytes, finishFlush: constants.Z_SYNC_FLUSH });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    // pdf.js reads broken data as far as possible
    return error.code === 'ERR_BUFFER_TOO_LARGE' ? 'large' : undefined;
  }
}
