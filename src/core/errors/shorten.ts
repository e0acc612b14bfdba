/** Cuts a text to `maxLength` characters and marks the cut. */
export function shorten(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const kept = text.slice(0, maxLength - 1);
  return `${/[\ud800-\udbff]$/.test(kept) ? kept.slice(0, -1) : kept}…`; // half a character is not text
}
