/** Maximum number of arguments of one call, in bytes. */
const chunkBytes = 32_768;

/** Encodes bytes as base64url without padding. */
export function toBase64Url(bytes: Uint8Array): string {
  let text = '';
  for (let from = 0; from < bytes.length; from += chunkBytes) text += String.fromCharCode(...bytes.subarray(from, from + chunkBytes));
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** Decodes base64 or base64url, with or without padding. Returns `undefined` for any other text. */
export function fromBase64Url(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (!/^[\w+/-]*={0,2}$/.test(text)) return undefined;
  try {
    const decoded = atob(text.replaceAll('-', '+').replaceAll('_', '/').replaceAll('=', ''));
    const bytes = new Uint8Array(decoded.length);
    for (let index = 0; index < decoded.length; index++) bytes[index] = decoded.charCodeAt(index);
    return bytes;
  } catch {
    return undefined;
  }
}
