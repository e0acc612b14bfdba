import { cutAtSentence } from '../../core/text/sentences.ts';
import { boundTokens } from './bound-tokens.ts';
import { shareBudget } from './share-budget.ts';

/** Upper bound of the mark's tokens in a cut text, including its line breaks. */
const markTokens = 32;

/** Share of the beginning in a cut text. The end gets the rest, because a question often follows its subject. */
const shareOfStart = 2 / 3;

/**
 * Cuts a long text to its beginning and its end, each at the end of a sentence if possible. A mark between them states the number of
 * characters left out. A text that fits is returned unchanged.
 *
 * @param maxTokens Maximum number of tokens, by `boundTokens`; below 48, only the mark fits, or nothing.
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

/** Cuts the longest texts so that all of them together have at most `maxTokens`. */
export function cutAllToTokens(texts: readonly string[], maxTokens: number): readonly string[] {
  const shares = shareBudget(
    texts.map((text) => ({ size: tokensUpTo(text, maxTokens), weight: 1 })),
    maxTokens,
  );
  return texts.map((text, i) => cutToTokens(text, shares[i] ?? 0));
}

/** Returns `boundTokens`, but skips the rest of a text that is far too long. */
export const tokensUpTo = (text: string, most: number): number => (text.length > (most + 1) * 4 ? most + 1 : boundTokens(text));

/** A text has at least a quarter as many tokens as characters: see `estimateTokens`. */
const fitsIn = (text: string, maxTokens: number): boolean => tokensUpTo(text, maxTokens) <= maxTokens;

/** Returns the number of characters that fit into `maxTokens`, or slightly fewer, because each attempt counts all of them. */
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

/** Returns the longest end of a text within `maxChars` that begins with a sentence. If that loses half of it, begins with a word. */
function startAtSentence(text: string, maxChars: number): string {
  const end = text.slice(text.length - maxChars);
  const half = end.slice(0, Math.ceil(end.length / 2));
  const begin = /[.!?…。！？]["'”’)\]」』]*\s|\n/u.exec(half) ?? /\s/u.exec(half);
  const from = begin ? begin.index + begin[0].length : /^[\uDC00-\uDFFF]/.test(end) ? 1 : 0;
  return end.slice(from).trimStart();
}

/** Uses the language of the text's beginning. */
const markOf = (text: string, chars: number): string => {
  const count = chars.toLocaleString('en-US');
  return /[가-힣]/.test(text.slice(0, 500)) ? `[… ${count}자 생략 …]` : `[… ${count} characters left out …]`;
};
