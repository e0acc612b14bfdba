const pairs: Readonly<Record<string, string>> = { '(': ')', '[': ']', '【': '】', '「': '」', '『': '』', '<': '>' };
const maxChars = 200;

/** A stretch in brackets. */
export interface Bracketed {
  /** Of what is inside. */
  readonly from: number;
  readonly to: number;
  /** Behind the closing bracket. */
  readonly end: number;
}

/** The stretch in brackets that begins at `at`, brackets inside it included; it may go on in the next line, but not farther. */
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
