/** A text of somebody else's, cut where it is longer than `maxLength` characters, and marked so. */
export function shorten(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const kept = text.slice(0, maxLength - 1);
  return `${/[\ud800-\udbff]$/.test(kept) ? kept.slice(0, -1) : kept}…`; // half a character is not text
}
