import { cutAtSentence } from '../text/sentences.ts';
import { boundTokens } from './bound-tokens.ts';
import { sharesOf } from './shares-of.ts';

/** What the mark in the middle of a cut text costs at the most, its line breaks included. */
const markTokens = 32;

/** Of what stays, the share of the beginning; the end gets the rest: a question often stands behind what it is about. */
const shareOfStart = 2 / 3;

/**
 * A text that is too long, as its beginning and its end, each cut at the end of a sentence where there is one, with a mark between them
 * that says how many characters were left out. A text that fits is returned as it is.
 *
 * @param maxTokens At most as many, by `boundTokens`; what is below 48 leaves room for the mark alone, or for nothing.
 * @example cutToTokens('One. Two. Three. …', 60) // 'One. Two.\n[… 1,234 characters left out …]\nNine. Ten.'
 */
export function cutToTokens(text: string, maxTokens: number): string {
  if (fitsIn(text, maxTokens)) return text;
  const room = maxTokens - markTokens;
  if (room < 16) return maxTokens < markTokens ? '' : markOf(text, text.length);
  const startRoom = Math.floor(room * shareOfStart);
  const start = cutAtSentence(
    text,
    charsWithin(startRoom, text.length, (chars) => text.slice(0, chars)),
  );
  const rest = text.slice(start.length);
  const end = startAtSentence(
    rest,
    charsWithin(room - startRoom, rest.length, (chars) => rest.slice(rest.length - chars)),
  );
  return `${start}\n${markOf(text, text.length - start.length - end.length)}\n${end}`.trimEnd();
}

/** Cuts the longest of some texts so that all of them have at most `maxTokens` together. */
export function cutAllToTokens(texts: readonly string[], maxTokens: number): readonly string[] {
  const shares = sharesOf(
    texts.map((text) => ({ size: tokensUpTo(text, maxTokens), weight: 1 })),
    maxTokens,
  );
  return texts.map((text, i) => cutToTokens(text, shares[i] ?? 0));
}

/** `boundTokens`, but for a text that is far longer than that: it is not read to its end. */
export const tokensUpTo = (text: string, most: number): number => (text.length > (most + 1) * 4 ? most + 1 : boundTokens(text));

/** No text has fewer tokens than a quarter of its characters: see `estimateTokens`. */
const fitsIn = (text: string, maxTokens: number): boolean => tokensUpTo(text, maxTokens) <= maxTokens;

/** How many characters of a text have at most `maxTokens`, or a few less: each look counts all of them. */
function charsWithin(maxTokens: number, length: number, part: (chars: number) => string): number {
  let fits = 0;
  let tooMany = Math.min(length, maxTokens * 4) + 1;
  while (tooMany - fits > 1 + fits / 30) {
    const middle = Math.floor((fits + tooMany) / 2);
    if (fitsIn(part(middle), maxTokens)) fits = middle;
    else tooMany = middle;
  }
  return fits;
}

/** The longest end of a text within `maxChars` that begins with a sentence, or when that would lose half of it, with a word. */
function startAtSentence(text: string, maxChars: number): string {
  const end = text.slice(text.length - maxChars);
  const half = end.slice(0, Math.ceil(end.length / 2));
  const begin = /[.!?…。！？]["'”’)\]」』]*\s|\n/u.exec(half) ?? /\s/u.exec(half);
  const from = begin ? begin.index + begin[0].length : /^[\uDC00-\uDFFF]/.test(end) ? 1 : 0;
  return end.slice(from).trimStart();
}

/** Told in the language of the text's beginning. */
const markOf = (text: string, chars: number): string => {
  const count = chars.toLocaleString('en-US');
  return /[가-힣]/.test(text.slice(0, 500)) ? `[… ${count}자 생략 …]` : `[… ${count} characters left out …]`;
};
