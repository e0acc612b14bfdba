/** A quotation in a text, with its position. */
export interface Quote {
  readonly quote: string;
  readonly start: number;
  readonly end: number;
}

const inline = /“([^”\n]{2,2000})”|"([^"\n]{2,2000})"|『([^』\n]{2,2000})』/gu;
const line = /^[ \t]*>[ \t]?(.+)$/gmu;
/** Shorter quotations are terms and names. */
const minLetters = { inline: 10, line: 6 };

const lettersOf = (text: string): number => text.match(/[\p{L}\p{N}]/gu)?.length ?? 0;

/** Quotations of a text: Markdown quote lines, and stretches in quotation marks that are longer than a term. */
export function quotesOf(answer: string): readonly Quote[] {
  const lines: Quote[] = Array.from(answer.matchAll(line), ({ 0: all, 1: quote = '', index }) => ({
    quote,
    start: index,
    end: index + all.length,
  }));
  const others = Array.from(answer.matchAll(inline), ({ 0: all, 1: curly, 2: straight, 3: corner, index }) => ({
    quote: curly ?? straight ?? corner ?? '',
    start: index,
    end: index + all.length,
  }));
  return [
    ...lines.filter(({ quote }) => lettersOf(quote) >= minLetters.line),
    ...others.filter(
      ({ quote, start, end }) => lettersOf(quote) >= minLetters.inline && !lines.some((one) => one.start <= start && end <= one.end),
    ),
  ].sort((a, b) => a.start - b.start);
}

/** Removes spaces and punctuation, and normalizes the spelling. */
export const bareText = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}%]+/gu, '');

/**
 * True when the text contains the quote's words in order. Gaps that the quote marks are allowed; Markdown marks and punctuation in between
 * are ignored.
 */
export function hasQuote(text: string, quote: string): boolean {
  const whole = bareText(text);
  let at = 0;
  for (const piece of quote.split(/…|\.{3}|\[\s?\]|\(중략\)|\[중략\]/u).map(bareText)) {
    if (piece === '') continue;
    const found = whole.indexOf(piece, at);
    if (found < 0) return false;
    at = found + piece.length;
  }
  return true;
}
