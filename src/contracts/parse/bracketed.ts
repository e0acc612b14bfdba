const pairs: Readonly<Record<string, string>> = { '(': ')', '[': ']', '【': '】', '「': '」', '『': '』', '<': '>' };
const maxChars = 200;

/** A passage in brackets. */
export interface Bracketed {
  /** Range of the text inside the brackets. */
  readonly from: number;
  readonly to: number;
  /** Position after the closing bracket. */
  readonly end: number;
}

/** Returns the bracketed passage that begins at `at`, including nested brackets. It may continue on the next line, but no further. */
export function bracketed(text: string, at: number): Bracketed | undefined {
  const open = text.charAt(at);
  const close = pairs[open];
  if (close === undefined) return undefined;
  let depth = 0;
  let breaks = 0;
  const last = Math.min(text.length, at + maxChars);
  for (let i = at; i < last; i++) {
    const character = text.charAt(i);
    if (character === '\n' && ++breaks > 1) return undefined;
    if (character === open) depth++;
    else if (character === close && --depth === 0) return { from: at + 1, to: i, end: i + 1 };
  }
  return undefined;
}
