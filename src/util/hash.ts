/**
 * A 106-bit fingerprint of a text in hexadecimal. Not a cryptographic one: it tells versions of a structure apart, it does not
 * keep an attacker out.
 */
export function hash(text: string): string {
  return half(text, 0x9e3779b9) + half(text, 0x7f4a7c15);
}

/** cyrb53: two interleaved 32-bit multiplicative hashes, finished as MurmurHash3 does. */
function half(text: string, seed: number): string {
  let a = 0xdeadbeef ^ seed;
  let b = 0x41c6ce57 ^ seed;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    a = Math.imul(a ^ unit, 2654435761);
    b = Math.imul(b ^ unit, 1597334677);
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909);
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909);
  return (4294967296 * (2097151 & b) + (a >>> 0)).toString(16).padStart(14, '0');
}
