/** How many bytes of UTF-8 the JSON text of a value has, without making it. What JSON leaves out counts nothing; a circle ends at a depth. */
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

function textBytes(text: string): number {
  let bytes = 2;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit === 0x22 || unit === 0x5c) bytes += 2;
    else if (unit < 0x20) bytes += shortEscapes.has(unit) ? 2 : 6;
    else if (unit < 0x80) bytes += 1;
    else if (unit < 0x800) bytes += 2;
    else if (unit < 0xd800 || unit > 0xdfff) bytes += 3;
    else if (unit < 0xdc00 && isLow(text.charCodeAt(index + 1))) {
      bytes += 4;
      index++;
    } else bytes += 6; // half a character is written as an escape
  }
  return bytes;
}

const isLow = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;

/** Backspace, tab, line feed, form feed, carriage return. */
const shortEscapes: ReadonlySet<number> = new Set([8, 9, 10, 12, 13]);
