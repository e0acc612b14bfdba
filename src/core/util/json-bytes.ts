/**
 * Size of a value's JSON text in bytes of UTF-8, computed without the text. Members that JSON drops count 0; a circle ends at a maximum
 * depth.
 */
export function jsonBytes(value: unknown, depth = 0): number {
  switch (typeof value) {
    case 'string':
      return textBytes(value);
    case 'number':
    case 'boolean':
      return String(value).length;
    case 'object':
      break;
    default:
      return 0;
  }
  if (value === null) return 4;
  if (depth > maxDepth) return 0;
  let bytes = 2;
  if (Array.isArray(value)) {
    for (const item of value) bytes += 1 + jsonBytes(item, depth + 1);
    return value.length > 0 ? bytes - 1 : bytes;
  }
  let members = 0;
  for (const [key, member] of Object.entries(value)) {
    if (member === undefined) continue;
    members++;
    bytes += textBytes(key) + 2 + jsonBytes(member, depth + 1);
  }
  return members > 0 ? bytes - 1 : bytes;
}

const maxDepth = 200;

const utf8 = new TextEncoder();

/** Longer texts go to an encoder, which is fast for many characters and slow for a few. */
const shortText = 64;

/** Encodes one text at a time, because the whole could be too large. */
function textBytes(text: string): number {
  if (text.length > shortText) return utf8.encode(JSON.stringify(text)).length;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit < 0x20 || unit > 0x7e || unit === 0x22 || unit === 0x5c) return utf8.encode(JSON.stringify(text)).length;
  }
  return text.length + 2;
}
