import { constants, inflateSync } from 'node:zlib';

const maxLayers = 3;
// what zlib can make of one byte at the most
const maxRatio = 1_032;
// compressed data does not have the word by chance; looking at many overlapping pieces would take long
const maxBegun = 16;

/**
 * Whether a stream of a PDF file unpacks to more than so many bytes: pdf.js unpacks a stream as a whole, and would take all memory.
 * Sees streams that are packed by Flate, also several times; LZW, which nothing has written for decades, may not be long at all.
 * True also for a file that is made to take long to look through.
 */
export function hasLargeStream(bytes: Uint8Array, maxBytes: number): boolean {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let end = -1;
  let begun = 0;
  for (let at = file.indexOf('stream'); at >= 0; at = file.indexOf('stream', at + 6)) {
    // otherwise it is a word of a text
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

/** The two bytes that begin what zlib has packed. */
const looksPacked = (bytes: Uint8Array): boolean => {
  const [method = 0, check = 0] = bytes;
  return (method & 0x0f) === 8 && method >> 4 <= 7 && (method * 256 + check) % 31 === 0;
};

function inflate(bytes: Uint8Array, maxBytes: number): Buffer | 'large' | undefined {
  try {
    return inflateSync(bytes, { maxOutputLength: maxBytes, finishFlush: constants.Z_SYNC_FLUSH });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    // what is only broken, pdf.js reads as far as it can
    return error.code === 'ERR_BUFFER_TOO_LARGE' ? 'large' : undefined;
  }
}
