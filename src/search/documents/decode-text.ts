import { decodeCp949 } from './cp949.ts';

/** Decodes the bytes of a file: UTF-8, UTF-16 with a byte order mark, or CP949. Returns `undefined` for anything else. */
export function decodeText(bytes: Uint8Array): string | undefined {
  const [first, second] = bytes;
  const marked = first === 0xff && second === 0xfe ? 'utf-16le' : first === 0xfe && second === 0xff ? 'utf-16be' : undefined;
  const text = marked ? decode(bytes, marked) : (decode(bytes, 'utf-8') ?? decodeCp949(bytes));
  return text?.includes('\0') ? undefined : text;
}

function decode(bytes: Uint8Array, encoding: string): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}
