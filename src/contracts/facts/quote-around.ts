const maxChars = 300;

/** Returns a passage of a text on one line, truncated if it is long. */
export function quoteAround(text: string, start: number, length: number): string {
  const words = text
    .slice(start, start + length)
    .replace(/\s+/g, ' ')
    .replace(/^[\s,;:]+/, '')
    .trim();
  return words.length <= maxChars ? words : `${words.slice(0, maxChars - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
