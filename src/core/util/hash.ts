/**
 * A 106-bit hexadecimal fingerprint of a text. Not cryptographic: it tells versions of a structure apart and gives no protection against an
 * attacker.
 */
export function hash(text: string): string {
  let [a1, b1] = [0xdeadbeef ^ seeds[0], 0x41c6ce57 ^ seeds[0]];
  let [a2, b2] = [0xdeadbeef ^ seeds[1], 0x41c6ce57 ^ seeds[1]];
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    a1 = Math.imul(a1 ^ unit, 2654435761);
    b1 = Math.imul(b1 ^ unit, 1597334677);
    a2 = Math.imul(a2 ^ unit, 2654435761);
    b2 = Math.imul(b2 ^ unit, 1597334677);
  }
  return toHex(a1, b1) + toHex(a2, b2);
}

const seeds = [0x9e3779b9, 0x7f4a7c15] as const;

/** cyrb53: two interleaved 32-bit multiplicative hashes, finished as MurmurHash3 does. */
function toHex(a0: number, b0: number): string {
  let [a, b] = [a0, b0];
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909);
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909);
  return hex(2097151 & b, 6) + hex(a >>> 0, 8);
}

const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0');
