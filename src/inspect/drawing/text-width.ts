/** Width of a column in a monospace font, relative to the font size. 0.602 is the maximum of the common fonts. */
const narrow = 0.602;
const wide = 1;
const pictographic = 1.3;

const isWide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]/u;
const isPictographic = /\p{Emoji_Presentation}/u;
const isMark = /\p{Mn}|\p{Me}|\p{Cf}/u;

/**
 * Returns the width of a text in a monospace font, in pixels. Computed without measuring, so it is the same in Node and every browser.
 * Chinese, Japanese and Korean characters are as wide as they are high.
 */
export function textWidth(text: string, sizePx: number): number {
  let width = 0;
  for (const letter of text) width += letterWidth(letter);
  return width * sizePx;
}

/** Cuts a text that is wider than `columns` Latin characters, and marks the cut. */
export function fitText(text: string, columns: number): string {
  const room = columns * narrow;
  if (textWidth(text, 1) <= room) return text;
  let width = narrow;
  let kept = '';
  for (const letter of text) {
    width += letterWidth(letter);
    if (width > room) break;
    kept += letter;
  }
  return `${kept}…`;
}

function letterWidth(letter: string): number {
  if (letter < '\u0300') return narrow;
  if (isMark.test(letter)) return 0;
  if (isWide.test(letter)) return wide;
  return isPictographic.test(letter) || letter > '\uffff' ? pictographic : narrow;
}
