/** Returns how many characters at the end of a text may be the beginning of `mark`. */
export function overlap(text: string, mark: string): number {
  for (let length = Math.min(text.length, mark.length - 1); length > 0; length--) if (mark.startsWith(text.slice(-length))) return length;
  return 0;
}
