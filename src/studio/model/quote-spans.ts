/** Position of a quote in a text, in characters. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Finds a quote in a text. Ignores spacing, quotation marks and a trailing ellipsis. */
export function findQuote(text: string, quote: string): Span | undefined {
  const wanted = squeeze(quote.replaceAll(/^[\s>"“”'‘’…·-]+|[\s"“”'‘’…]+$/gu, '')).text;
  if (wanted === '') return undefined;
  const { text: squeezed, places } = squeeze(text);
  const found = squeezed.indexOf(wanted);
  const [start, last] = [places[found], places[found + wanted.length - 1]];
  return found < 0 || start === undefined || last === undefined ? undefined : { start, end: last + 1 };
}

/** Removes white space, and records the original position of each character. */
function squeeze(text: string): { readonly text: string; readonly places: readonly number[] } {
  const places: number[] = [];
  let squeezed = '';
  for (let index = 0; index < text.length; index++) {
    const char = text[index] ?? '';
    if (/\s/u.test(char)) continue;
    squeezed += char;
    places.push(index);
  }
  return { text: squeezed, places };
}
