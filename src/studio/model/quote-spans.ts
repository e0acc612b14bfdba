/** Where a quote stands in a text, by characters of the text. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Finds a quote in a text: spacing, marks of quotation and the dots of a cut-off end do not matter. */
export function findQuote(text: string, quote: string): Span | undefined {
  const wanted = squeeze(quote.replaceAll(/^[\s>"“”'‘’…·-]+|[\s"“”'‘’…]+$/gu, '')).text;
  if (wanted === '') return undefined;
  const { text: squeezed, places } = squeeze(text);
  const found = squeezed.indexOf(wanted);
  const [start, last] = [places[found], places[found + wanted.length - 1]];
  return found < 0 || start === undefined || last === undefined ? undefined : { start, end: last + 1 };
}

/** Without white space, and where each character had stood. */
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
