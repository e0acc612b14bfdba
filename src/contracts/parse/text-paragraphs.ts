/** A range of a text. */
export interface TextStretch {
  readonly start: number;
  readonly end: number;
}

const maxChars = 1_000;
/** Shorter blocks are headings or page ends, and join the next block. */
const minChars = 120;
const blankLine = /\n[^\S\n]*\n\s*/g;
const sentenceEnd = /[.!?。;:]["'”’)\]]{0,2}\s+|다\.\s*/g;

/**
 * Divides a range of a text into pieces of at most 1,000 characters, without gaps. Splits at blank lines, and longer blocks at the end of a
 * line or a sentence. Short blocks join the next one.
 */
export function textParagraphs(text: string, start: number, end: number): readonly TextStretch[] {
  const cuts = [...text.slice(start, end).matchAll(blankLine)].map(({ 0: gap, index }) => start + index + gap.length);
  const pieces: TextStretch[] = [];
  let from = start;
  const close = (to: number): void => {
    if (to > from) pieces.push({ start: from, end: to });
    from = to;
  };
  for (const [i, cut] of [...cuts, end].entries()) {
    if (cut === end && i < cuts.length) continue;
    const previous = i === 0 ? start : (cuts[i - 1] ?? start);
    if (cut - from > maxChars && previous - from >= minChars) close(previous);
    while (cut - from > maxChars) close(from + cutPoint(text.slice(from, from + maxChars)));
    if (cut - from >= minChars || cut === end) close(cut);
  }
  return pieces;
}

/** Returns the length of the next piece: whole sentences, else whole lines, else whole words, else whole characters. */
function cutPoint(text: string): number {
  const sentences = [...text.matchAll(sentenceEnd)].map(({ 0: mark, index }) => index + mark.length);
  const sentence = sentences.findLast((at) => at >= maxChars / 2);
  const [line, word] = [text.lastIndexOf('\n') + 1, text.search(/\s\S*$/) + 1];
  const at = sentence ?? (line >= maxChars / 2 ? line : word >= maxChars / 2 ? word : text.length);
  return at === text.length && /[\uD800-\uDBFF]$/.test(text) ? at - 1 : at;
}
