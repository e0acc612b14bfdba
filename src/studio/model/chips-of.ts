import type { Json } from '../../core/ports/json.ts';
import { type CitedQuote, citationsOf, sourcesOf } from './answer-of.ts';

/** Citations of an answer: its quotes in order, then the names of sources without a quote. */
export function chipsOf(output: Json | undefined, sources: Json | undefined): readonly CitedQuote[] {
  let before = '';
  const cited = citationsOf(output)
    .filter(({ label, quote }) => label !== '' || quote !== '')
    .map((one) => {
      before = one.label || before; // a quote without a label belongs to the article named last
      return { ...one, label: before };
    });
  const quotes = cited.filter(({ quote }) => quote !== '');
  const shown = new Set(quotes.map(({ label }) => label));
  const named = [...cited, ...sourcesOf(sources).map(({ label }) => ({ label, quote: '', supported: true }))].filter(({ label }) => {
    const isNew = !shown.has(label);
    shown.add(label);
    return isNew;
  });
  return [...quotes, ...named];
}
